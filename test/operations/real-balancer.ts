import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/free-port.ts'

export type Program = 'haproxy' | 'nginx'

export interface Backend {
  readonly port: number
  readonly managementPort: number
}

export type Balancer = Awaited<ReturnType<typeof openBalancer>>

export const needsBalancer = (program: Program) => () =>
  spawnSync(program, ['-v']).status === 0 ? undefined : `${program} is not installed`

/** A real balancer in front of instances, configured as an operator would. */
export const openBalancer = async (program: Program, directory: string, instances: readonly Backend[]) => {
  const port = await freePort()
  const folder = join(directory, program)
  mkdirSync(folder)
  const file = join(folder, 'balancer.conf')
  writeFileSync(file, texts[program]({ port, folder, instances }))
  const asRoot = userInfo().uid === 0 ? 'user root; ' : ''
  const globals = `daemon off; ${asRoot}pid ${folder}/nginx.pid; error_log stderr crit;`
  const args = program === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', folder, '-g', globals]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-2000)
  })
  const gone = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(`${url}/api/v1/todos?size=1`).then(
      (answer) => answer.status === 200 || answer.status === 401,
      () => false,
    )
    if (isUp) break
    if (tries > 200 || child.exitCode !== null) throw new Error(`${program} does not answer: ${output}`)
    await sleep(50)
  }
  return {
    url,
    async close() {
      child.kill('SIGTERM')
      await gone
    },
  }
}

interface Place {
  readonly port: number
  readonly folder: string
  readonly instances: readonly Backend[]
}

export const haproxyConfiguration = () => read('deploy/haproxy.cfg')

const haproxy = ({ port, instances }: Place) => {
  const servers = instances.map(
    (one, n) => `  server s${n} 127.0.0.1:${one.port} check port ${one.managementPort}\n`,
  )
  return haproxyConfiguration()
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace(/(^ {2}server .*\n)+/m, servers.join(''))
}

/** As in deploy/compose, but with addresses, which need no `resolve`. The nginx of Debian 12 does not know it. */
const nginx = ({ port, folder, instances }: Place) => {
  const parts = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = parts.map((part) => `  ${part}_temp_path ${folder}/${part};\n`).join('')
  return read('deploy/compose/nginx.conf')
    .replace('http {\n', `http {\n  access_log off;\n${paths}`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace(
      /^ {4}server rollcall-1:8080( max_fails=0) resolve;\n {4}server rollcall-2:8080.*\n/m,
      (_, options) => instances.map((one) => `    server 127.0.0.1:${one.port}${options};\n`).join(''),
    )
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const texts = { haproxy, nginx }
