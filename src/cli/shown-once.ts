import { namingFile } from './named-files.ts'

/** Writes a line that is never shown again to standard error. Throws if it cannot be written there. */
export const showOnce = (line: string) =>
  new Promise<void>((resolve, reject) => {
    const written = (error?: Error | null) =>
      error ? reject(namingFile('Standard error', 'written', error)) : resolve()
    process.stderr.write(`${line}\n`, written)
  })
