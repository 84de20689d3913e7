import { styleText } from 'node:util'

const clearLine = '\r\x1b[2K'

/** Shows what is being done: in one changing line on a terminal, in plain lines elsewhere. */
export const openProgress = (steps: number) => {
  const live = process.stderr.isTTY
  const startedAtMs = performance.now()
  let done = 0
  return {
    step(what: string) {
      done++
      const share = `${String(Math.floor((done / steps) * 100)).padStart(3)} %`
      const line = `${share}  ${seconds(performance.now() - startedAtMs)}  ${what}`
      process.stderr.write(
        live ? clearLine + styleText('dim', line.slice(0, process.stderr.columns)) : `${line}\n`,
      )
    },
    print(line: string) {
      process.stderr.write(`${live ? clearLine : ''}${line}\n`)
    },
    close() {
      if (live) process.stderr.write(clearLine)
      process.stderr.write(`Took ${seconds(performance.now() - startedAtMs)}.\n`)
    },
  }
}

export type Progress = ReturnType<typeof openProgress>

const seconds = (ms: number) => {
  const whole = Math.round(ms / 1000)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
