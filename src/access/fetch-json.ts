const timeoutMs = 5_000
const limitBytes = 512 * 1024

/** JSON of an address that the settings or the issuer named; no redirect leads elsewhere. */
export const fetchJson = async (address: string): Promise<unknown> => {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return JSON.parse(await textOf(response, address))
}

const textOf = async (response: Response, address: string) => {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw new Error(`${address} answered more than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
