import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../test/free-port.ts'
import { scratch } from '../tools.ts'

/** A third-party cache in front of an upstream. */
export interface Store {
  readonly name: string
  /** True if it is configured to store private responses too, which shows how it distinguishes them. */
  readonly keeps: boolean
  /** For how long it serves what it has stored without revalidation. */
  readonly freshMs: number
  readonly open: (upstream: number) => Promise<OpenStore>
}

export interface OpenStore {
  readonly port: number
  readonly close: () => Promise<void>
}

/** By default, and configured to store private responses: nginx for a second, Varnish revalidating each time. */
export const stores: readonly Store[] = [
  { name: 'nginx', keeps: false, freshMs: 0, open: (upstream) => openNginx(upstream, '') },
  {
    name: 'nginx that keeps',
    keeps: true,
    freshMs: 2000,
    open: (upstream) =>
      openNginx(upstream, 'proxy_ignore_headers Cache-Control; proxy_cache_valid 200 404 1s;'),
  },
  { name: 'varnish', keeps: false, freshMs: 0, open: (upstream) => openVarnish(upstream, '') },
  { name: 'varnish that keeps', keeps: true, freshMs: 1, open: (upstream) => openVarnish(upstream, keeping) },
]

const openNginx = async (upstream: number, more: string): Promise<OpenStore> => {
  const work = scratch()
  const port = await freePort()
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${work}/${name};`,
  )
  await writeFile(
    join(work, 'nginx.conf'),
    `daemon off; master_process off; pid ${work}/pid; error_log ${work}/error.log;
    events {}
    http {
      access_log off; ${folders.join(' ')}
      proxy_cache_path ${work}/kept keys_zone=kept:1m;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://127.0.0.1:${upstream}; proxy_http_version 1.1; proxy_set_header Host $http_host;
          proxy_cache kept; proxy_cache_key $request_uri; proxy_cache_revalidate on; ${more}
        }
      }
    }`,
  )
  return started('nginx', ['-p', work, '-c', join(work, 'nginx.conf')], port)
}

/** A lifetime of a millisecond, since Varnish does not store what has none. */
const keeping = `
  sub vcl_recv { if (req.method == "GET" || req.method == "HEAD") { return (hash); } return (pass); }
  sub vcl_backend_response {
    set beresp.ttl = 1ms; set beresp.grace = 0s; set beresp.keep = 60s;
    return (deliver);
  }`

const openVarnish = async (upstream: number, more: string): Promise<OpenStore> => {
  const work = scratch()
  const port = await freePort()
  const rules = join(work, 'rules.vcl')
  await writeFile(rules, `vcl 4.1; backend service { .host = "127.0.0.1"; .port = "${upstream}"; } ${more}`)
  const args = ['-F', '-j', 'none', '-n', join(work, 'run'), '-a', `127.0.0.1:${port}`, '-f', rules]
  return started('varnishd', [...args, '-s', 'malloc,16m', '-p', 'http_gzip_support=off'], port)
}

const started = async (program: string, args: readonly string[], port: number): Promise<OpenStore> => {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  child.on('error', (error) => {
    output += error.message
  })
  const store = { port, close: () => untilEnded(child) }
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.pid === undefined || child.exitCode !== null) break
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer) return store
    await sleep(100)
  }
  await store.close()
  throw new Error(`${program} did not start; apt-get install nginx-light varnish\n${output}`)
}

const untilEnded = async (child: ChildProcess) => {
  if (child.pid === undefined || child.exitCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill()
  await gone
}
