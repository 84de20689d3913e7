import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

export type Program = 'haproxy' | 'nginx'

export interface Behind {
  readonly port: number
  readonly managementPort: number
}

export type Balancer = Awaited<ReturnType<typeof openBalancer>>

export const needsBalancer = (program: Program) => () =>
  spawnSync(program, ['-v']).status === 0 ? undefined : `${program} is not installed`

/** A real balancer before instances, as an operator would set it up. */
export const openBalancer = async (program: Program, directory: string, instances: readonly Behind[]) => {
  const port = await freePort()
  const folder = join(directory, program)
  mkdirSync(folder)
  const file = join(folder, 'balancer.conf')
  writeFileSync(file, texts[program]({ port, folder, instances }))
  const args = program === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', folder]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-2000)
  })
  const gone = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(`${url}/api/v1/todos?size=1`).then(
      (answer) => answer.status === 200 || answer.status === 401,
      () => false,
    )
    if (isUp) break
    if (tries > 200 || child.exitCode !== null) throw new Error(`${program} does not answer: ${said}`)
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
  readonly instances: readonly Behind[]
}

/** It looks at readiness, asks another where nobody listens, and never sends a change twice. */
const haproxy = ({ port, instances }: Place) => `
global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 2s
  timeout http-keep-alive 4s
  option redispatch 1
  retries 3
  retry-on conn-failure
frontend in
  bind 127.0.0.1:${port}
  default_backend out
backend out
  balance roundrobin
  option httpchk GET /health/ready
  default-server inter 100ms fall 1 rise 1 pool-purge-delay 2s
${instances.map((one, n) => `  server s${n} 127.0.0.1:${one.port} check port ${one.managementPort}`).join('\n')}
`

/** It asks another where nobody listens; it knows nothing of readiness. */
const nginx = ({ port, folder, instances }: Place) => `
daemon off;
user root;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream out {
${instances.map((one) => `    server 127.0.0.1:${one.port} max_fails=1 fail_timeout=1s;`).join('\n')}
    keepalive 32;
    keepalive_timeout 4s;
  }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / {
      proxy_pass http://out;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_connect_timeout 1s;
      proxy_next_upstream error timeout;
    }
  }
}
`

const texts = { haproxy, nginx }
