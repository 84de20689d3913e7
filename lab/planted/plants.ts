/** A deliberate mistake in a copy of the service, and the fault that must find it. */
export interface Plant {
  readonly name: string
  readonly changes: readonly Change[]
  readonly finder: string
  /** The share of the finder's rounds that is needed. */
  readonly size: number
}

export interface Change {
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

export const plants: readonly Plant[] = [
  {
    name: 'answer before the sync',
    changes: [
      {
        file: 'src/sql/sqlite/durability.ts',
        find: '        await syncing\n',
        replace: '        syncing.catch(() => undefined)\n',
      },
    ],
    finder: 'power loss',
    size: 0.05,
  },
  {
    name: 'read before the sync',
    changes: [
      {
        file: 'src/sql/sqlite/durability.ts',
        find: '      if (wal) await patiently(limits.busyMs, present.hold)\n',
        replace: '      present.renew()\n',
      },
    ],
    finder: 'power loss',
    size: 0.05,
  },
  {
    name: 'the sync of the group before',
    changes: [
      {
        file: 'src/sql/sqlite/wal.ts',
        find: '      else await datasync(log)\n',
        replace:
          '      else {\n        const before = last\n        last = datasync(log)\n        await before\n      }\n',
      },
      {
        file: 'src/sql/sqlite/wal.ts',
        find: '  let durable = end()\n',
        replace: '  let last = Promise.resolve()\n  let durable = end()\n',
      },
    ],
    finder: 'power loss',
    size: 0.05,
  },
  {
    name: 'a failed sync repeated and believed',
    changes: [
      {
        file: 'src/sql/sqlite/wal.ts',
        find: '      else await datasync(log)\n',
        replace: '      else await datasync(log).catch(() => datasync(log))\n',
      },
    ],
    finder: 'the n-th sync fails',
    size: 0.1,
  },
  {
    name: 'a refused commit left in the log',
    changes: [
      {
        file: 'src/sql/sqlite/wal.ts',
        find: '      ftruncateSync(log, lasting() === 0 ? 0 : byteAfter(log, durable.frames))\n',
        replace: '',
      },
    ],
    finder: 'the n-th sync fails',
    size: 0.1,
  },
  {
    name: 'answer before commit',
    changes: [
      {
        file: 'src/sql/sqlite/lane.ts',
        find: "      await commit(() => writer.command('COMMIT'))",
        replace:
          // Not for migrations: without its tables the service would not start, and nothing would be tested.
          "      if (!done.some(({ altered }) => altered)) {\n        for (const one of done) one.resolve(one.value)\n        await new Promise((resolve) => setTimeout(resolve, 5))\n      }\n      await commit(() => writer.command('COMMIT'))",
      },
    ],
    finder: 'kill -9',
    size: 0.1,
  },
  {
    name: 'change without version check',
    changes: [
      {
        file: 'src/resources/todo/store.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: 'sql`${todoTable.update(todo)} AND version = ${version - 1}`',
        replace: 'todoTable.update(todo)',
      },
    ],
    finder: 'two instances, one killed',
    size: 0.3,
  },
  {
    name: 'a stale cache',
    changes: [
      {
        file: 'src/sql/sqlite/remembered.ts',
        find: '      else for (const key of keys) records.forget(key)',
        replace: '      else for (const key of keys) if (Math.random() < 0.8) records.forget(key)',
      },
    ],
    finder: 'kill -9',
    size: 0.04,
  },
  {
    name: 'ask, then insert',
    changes: [
      {
        file: 'src/resources/member/migrations/001-member.postgres.sql',
        find: 'sign_id_folded text COLLATE "C" NOT NULL UNIQUE',
        replace: 'sign_id_folded text COLLATE "C" NOT NULL',
      },
      {
        file: 'src/resources/member/rows.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '  const inserted = await tx.run(sql`${credentialTable.insert(credential)}',
        replace:
          // The pause outlasts hashing, so callers of one instance collide too; without it, half of the runs missed this.
          // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
          '  const owners = await tx.read(sql`SELECT sign_id FROM credential WHERE sign_id_folded = ${fold(credential.signId)}`, (row) => row)\n  if (owners.length > 0) return false\n  await tx.read(sql`SELECT pg_sleep(0.05)`, (row) => row)\n  const inserted = await tx.run(sql`${credentialTable.insert(credential)}',
      },
    ],
    finder: 'two instances, one killed',
    size: 0.6,
  },
  {
    name: 'repeat without a key',
    changes: [
      {
        file: 'src/http/api/changing.ts',
        find: 'const isKeyed = mayBeKeyed && idempotencyKey(exchange) !== undefined',
        replace: 'const isKeyed = mayBeKeyed && idempotencyKey(exchange) === null',
      },
    ],
    finder: 'two instances, one killed',
    size: 0.3,
  },
  {
    name: 'asynchronous standby',
    changes: [
      {
        file: 'src/sql/postgres/session.ts',
        find: "ELSE 'on' END",
        replace: "ELSE 'local' END",
      },
    ],
    finder: 'failover to a synchronous standby',
    size: 1,
  },
  {
    name: 'cancelled wait counted as success',
    changes: [
      {
        file: 'src/sql/postgres/transaction.ts',
        find: "if (tag !== 'COMMIT' || warning)",
        replace: "if (tag !== 'COMMIT')",
      },
    ],
    finder: 'standby stands still',
    size: 1,
  },
]
