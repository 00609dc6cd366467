export interface SetupContext {
  /** The URL that the tool should call, `?token=` included. */
  url: string
  /** Only the integration's webhook token, for tools that can send a header. */
  token: string
  base_url: string
  /** The integration's id in operator commands. */
  id: number
}

/** How to connect a tool, as Markdown with blocks that are ready to paste. */
export type Setup = (context: SetupContext) => string

/** The operator's command to save a tool's signing secret without the web app. */
export const saveSecret = (id: number) => `goldmaster admin integration secret ${id}`

/**
 * `sign` for shell scripts: HMAC-SHA256 of standard input, built from plain SHA-256, because `openssl dgst -hmac` would show the secret in
 * the process list. Avoids `${}`, so that a guide has no placeholders left.
 */
export const SIGN = String.raw`# Signs standard input for curl --config, if GOLDMASTER_WEBHOOK_SECRET is set. It needs openssl.
sign() (
  set +x # a trace would show the secret
  [ -n "$GOLDMASTER_WEBHOOK_SECRET" ] || { cat >/dev/null; exit; }
  key=$(printf %s "$GOLDMASTER_WEBHOOK_SECRET" | od -An -v -tu1)
  [ "$(printf '%s\n' $key | wc -l)" -le 64 ] ||
    key=$(printf %s "$GOLDMASTER_WEBHOOK_SECRET" | openssl dgst -sha256 -binary | od -An -v -tu1)
  signature=$({ pad 92; { pad 54; cat; } | openssl dgst -sha256 -binary; } | openssl dgst -sha256 -r | cut -d ' ' -f 1)
  printf 'header = "X-Webhook-Signature: sha256=%s"\n' "$signature"
)
pad() {
  block='' count=0
  for byte in $key; do octal $((byte ^ $1)); done
  while [ $count -lt 64 ]; do octal "$1"; done
  printf "$block"
}
octal() { block="$block\\$(($1 / 64))$(($1 / 8 % 8))$(($1 % 8))" count=$((count + 1)); }
`

/** `encode` for shell scripts. */
export const ENCODE = String.raw`# Text as the value of a form.
encode() {
  od -An -v -tx1 | LC_ALL=C awk '
    BEGIN {
      for (i = 0; i < 256; i++) {
        plain = i < 128 && sprintf("%c", i) ~ /[A-Za-z0-9._-]/
        as[sprintf("%02x", i)] = plain ? sprintf("%c", i) : sprintf("%%%02X", i)
      }
    }
    { for (i = 1; i <= NF; i++) printf "%s", as[$i] }'
}
`

/** For tools whose deliveries come from our own commands or a studio's scripts. */
export const signedDeliveries = (id: number) => `### Signed deliveries

Save a signing secret and turn on **Only signed deliveries** here (or with \`${saveSecret(id)}\` and \`goldmaster admin integration require-signature ${id}\`). Then a leaked token alone is not enough to send data. Give your senders the same secret in \`GOLDMASTER_WEBHOOK_SECRET\`: \`goldmaster run\`, \`goldmaster builds report\`, \`goldmaster bridge\` and the scripts on this page sign with it. Your own sender must add the header \`X-Webhook-Signature: sha256=…\` with the hexadecimal HMAC-SHA256 of the raw body.
`

/** For tools that send many requests from one address. */
export const ADDRESS_LIMIT =
  'Requests are limited per IP address, by default to 300 in five minutes. If one host sends more, the operator can raise `LIMIT_REQUESTS_PER_IP` (or set it to `off` behind a proxy with its own limits), so that requests are not refused with 429.'

/** The build's own command, on any machine with Node. */
export const runLines = (base_url: string, token: string) => `export GOLDMASTER_HOST='${base_url}'
export GOLDMASTER_WEBHOOK_TOKEN='${token}'
curl -fsSo goldmaster-run.mjs "$GOLDMASTER_HOST/goldmaster-run.mjs"
node goldmaster-run.mjs run --job Game-Win64 -- ./build.sh
`
