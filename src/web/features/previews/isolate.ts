/** Makes everything outside of an element unreachable, except messages that are read out. Returns a function that ends it. */
export function isolate(element: HTMLElement): () => void {
  const outside: HTMLElement[] = []
  for (let inner: HTMLElement = element; inner.parentElement && inner !== document.body; inner = inner.parentElement) {
    for (const other of inner.parentElement.children) {
      if (other === inner || !(other instanceof HTMLElement) || other.inert || other.hasAttribute('aria-live')) continue
      other.inert = true
      outside.push(other)
    }
  }
  return () => {
    for (const other of outside) other.inert = false
  }
}
