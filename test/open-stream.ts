import assert from 'node:assert/strict'

/** A stream of changes, event by event. */
export const openStream = async (
  api: { readonly url: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const ending = new AbortController()
  const response = await fetch(`${api.url}/api/v1${path}`, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: ending.signal,
  })
  assert.equal(response.status, 200)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  let text = ''
  return {
    headers: response.headers,
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const event = text.slice(0, end)
          text = text.slice(end + 2)
          return event
        }
        const { value, done } = await reader.read()
        if (done) return 'the end'
        text += value
      }
    },
    close: () => ending.abort(),
  }
}
