/** A person in a list: the name, and the email address if it may be seen, which breaks after the @ in a narrow column. */
export function PersonName({ name, email }: { name: string; email: string | null }) {
  const [mailbox, ...host] = email?.split('@') ?? []
  return (
    <div className="grid">
      <span className="font-medium">{name}</span>
      {email && (
        <span className="wrap-break-word text-xs text-soft">
          {mailbox}@<wbr />
          {host.join('@')}
        </span>
      )}
    </div>
  )
}
