const timeoutMs = 5_000
const limitBytes = 512 * 1024

/** Fetches JSON from an address named by the settings or the issuer. Redirects are not followed. */
export const fetchJson = async (address: string): Promise<unknown> => {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new Error(`${address} answered with status ${response.status}`)
  return JSON.parse(await textOf(response, address))
}

const textOf = async (response: Response, address: string) => {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw new Error(`${address} answered with more than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
