/** A random name for a request or a key. A page that is no secure context has no `crypto.randomUUID`. */
export const newName = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
