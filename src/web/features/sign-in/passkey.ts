/** The browser's side of passkeys: converts bytes to text and back. */

/** Not over plain http, and not in every browser. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential !== 'undefined'

const text = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

/** ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257]

interface Question {
  challenge: string
  rp_id: string
}

export async function makePasskey({ challenge, rp_id, user_handle }: Question & { user_handle: string }, email: string) {
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: bytes(challenge),
      rp: { id: rp_id, name: 'Goldmaster' },
      user: { id: bytes(user_handle), name: email, displayName: email },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  })) as PublicKeyCredential
  const response = made.response as AuthenticatorAttestationResponse
  return {
    challenge,
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.getAuthenticatorData()),
    public_key: text(response.getPublicKey()!),
  }
}

export async function answerWithPasskey({ challenge, rp_id }: Question) {
  const given = (await navigator.credentials.get({
    publicKey: { challenge: bytes(challenge), rpId: rp_id, userVerification: 'required' },
  })) as PublicKeyCredential
  const response = given.response as AuthenticatorAssertionResponse
  return {
    challenge,
    credential_id: text(given.rawId),
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.authenticatorData),
    signature: text(response.signature),
  }
}

/** Browsers report little, and the same for "canceled" as for "none there". */
export const passkeyWords = (error: unknown): unknown =>
  error instanceof DOMException ? new Error('The passkey was not used. Try again, or sign in another way.') : error
