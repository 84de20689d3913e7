import { spawn } from 'node:child_process'

/** The output of an installed program, which must exit with 0. Its input may stay open for a while. */
export const outputOf = (
  program: string,
  args: readonly string[],
  input = '',
  { openMs = 0 } = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args)
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      errors += chunk
    })
    child.on('error', () =>
      reject(new Error(`${program} is not installed: apt-get install ${packages[program]}`)),
    )
    child.on('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${program} ended with ${code}: ${errors.slice(-600) || output.slice(-600)}`))
    })
    child.stdin.on('error', () => undefined)
    child.stdin.write(input)
    if (openMs === 0) child.stdin.end()
    else setTimeout(() => child.stdin.end(), openMs)
  })

const packages: Readonly<Record<string, string>> = {
  curl: 'curl',
  python3: 'python3',
  nc: 'netcat-openbsd',
  wrk: 'wrk',
}
