const barCharacters = 20

/** A line that shows progress, and at the end the result. */
export const line = (title: string) => {
  const { stdout } = process
  const startedAt = performance.now()
  const seconds = () => `${Math.round((performance.now() - startedAt) / 1000)} s`
  if (stdout.isTTY) stdout.write(title)
  return {
    progress(share: number, words = '') {
      if (!stdout.isTTY) return
      const full = Math.round(Math.min(1, share) * barCharacters)
      const bar = '█'.repeat(full) + '░'.repeat(barCharacters - full)
      stdout.write(`\r\x1b[K${title} ${bar} ${seconds()} ${words}`)
    },
    end(words: string) {
      stdout.write(`${stdout.isTTY ? '\r\x1b[K' : ''}${title}, ${seconds()}: ${words}\n`)
    },
  }
}
