import { auth } from '../../api.ts'

/** Ends the session here; false if the browser leaves to end it at the studio's provider too. */
export async function signOut(): Promise<boolean> {
  const { redirect_to } = await auth<{ redirect_to?: string }>('/sign-out')
  if (redirect_to) location.assign(redirect_to)
  return redirect_to === undefined
}
