/** An email address in a narrow column: breaks after the @. */
export function Address({ email }: { email: string }) {
  const [name, ...host] = email.split('@')
  return (
    <span className="wrap-break-word text-xs text-soft">
      {name}@<wbr />
      {host.join('@')}
    </span>
  )
}
