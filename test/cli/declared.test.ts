import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { version } from '#src/version.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { projectRoot } from '../program.ts'
import { loan } from '../resources/loan.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

/** A folder with the module of the loans, and a database that has their table. */
const open = async (databaseUrl?: string) => {
  const { folder, url } = openFolder()
  const module = await readFile(join(projectRoot, 'test/resources/loan.ts'), 'utf8')
  await writeFile(join(folder, 'loan.ts'), module.replace('#src/resource.ts', 'rollcall/resource'))
  const environment = { RESOURCES: './loan.ts', DATABASE_URL: databaseUrl ?? url('a.db') }
  const run = (args: readonly string[], further: Readonly<Record<string, string>> = {}) =>
    rollcall(args, { cwd: folder, environment: { ...environment, ...further }, input: 'demodemo\n' })
  const good = async (...args: readonly string[]) => {
    const ended = await run(args)
    assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.err} ${ended.out}`)
    return ended.out
  }
  return { folder, url, run, good }
}

const addJohn = [
  ...['member', 'add', '--first-name', 'John', '--last-name', 'Smith', '--gender-code', '1'],
  ...['--date-of-birth', '1983-01-17', '--email-address', 'john@example.com', '--json'],
]
const due = ['--due', '2026-12-24']

test('commands add, list, show, change and remove the records of a declared resource, and run its actions', async () => {
  const { good, run } = await open()
  const { memberId } = JSON.parse(await good(...addJohn))
  const add = ['loan', 'add', '--member-id', memberId, '--title', 'Saw', ...due, '--kind', 'tool']
  const added = JSON.parse(await good(...add, '--shelf', 'A1', '--json'))
  assert.partialDeepStrictEqual(added, { memberId, title: 'Saw', shelf: 'A1', due: '2026-12-24' })
  const other = ['--title', 'Emma', '--due', '2027-01-31', '--kind', 'book', '--json']
  const { loanId } = JSON.parse(await good('loan', 'add', '--member-id', memberId, ...other))
  const titlesOf = async (...flags: readonly string[]) =>
    (await good('loan', 'list', '--json', ...flags))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).title)
  assert.deepEqual(await titlesOf(), ['Saw', 'Emma'])
  assert.deepEqual(await titlesOf('--sort', 'due,desc', '--limit', '1'), ['Emma'])
  assert.deepEqual(await titlesOf('--kind', 'book'), ['Emma'])
  assert.deepEqual(await titlesOf('--due-to', '2027-01-01', '--title', 'ｓａ'), ['Saw'])
  assert.match(await good('loan', 'list'), /^ID +MEMBER +TITLE .*\n.* Saw +A1 +2026-12-24 +tool\n/)
  const change = ['loan', 'change', added.loanId]
  await good(...change, '--shelf', '', '--title', 'Axe')
  assert.partialDeepStrictEqual(JSON.parse(await good('loan', 'show', added.loanId)), {
    title: 'Axe',
    shelf: null,
  })
  const history = await good('loan', 'history', added.loanId)
  assert.match(history, /updated by anyone, version 2\n {2}title: Saw → Axe\n {2}shelf: A1 → –\n/)
  assert.match(history, /\n\S+Z {2}created by anyone, version 1\n.*\n {2}title: Saw\n {2}shelf: A1\n/)
  const [newest = ''] = (await good('loan', 'history', added.loanId, '--json')).split('\n')
  assert.partialDeepStrictEqual(JSON.parse(newest), {
    change: { data: { version: 2 } },
    value: { title: 'Axe' },
  })
  assert.match(await good('loan', 'returned', loanId), / Emma .*20\d\d-\d\d-\d\d\n$/)
  assert.equal((await run(['member', 'remove', memberId])).code, 1)
  await good('loan', 'remove', loanId)
  assert.equal(JSON.parse(await good('loan', 'restore', loanId, '--json')).loanId, loanId)
  await good('loan', 'remove', loanId)
  assert.deepEqual(await titlesOf(), ['Axe'])
})

test('a refusal names the flag of the field', async () => {
  const { run, good } = await open()
  const { memberId } = JSON.parse(await good(...addJohn))
  const add = ['loan', 'add', '--member-id', memberId, '--kind', 'tool']
  const long = await run([...add, ...due, '--title', ''])
  assert.equal(long.code, 1)
  assert.match(long.err, /^rollcall: --title \(1 to 60 characters\): "title" /)
  const past = await run([...add, '--title', 'Saw', '--due', '1999-01-01'])
  assert.match(past.err, /^rollcall: --due \(yyyy-MM-dd\): "due" is long past\.\n$/)
  const kind = await run([...add.with(5, 'car'), ...due, '--title', 'Saw'])
  assert.deepEqual([kind.code, /Allowed choices are book, tool\./.test(kind.err)], [2, true])
  const lacking = await run(['loan', 'add', '--title', 'Saw'])
  assert.deepEqual([lacking.code, /required option '--member-id <text>'/.test(lacking.err)], [2, true])
  const nothing = await run(['loan', 'change', 'x'])
  assert.match(nothing.err, /There is nothing to change: give a field, such as --returned-on\.\n$/)
})

test('a refusal by an action names no flag, because the action has none, and a faulty action is reported with its fault', async () => {
  const { folder, good, run } = await open()
  const declaration = `
    import { refusal, resource, Text } from 'rollcall/resource'
    export const lamp = resource({ name: 'lamp', fields: { label: Text(1, 20) }, actions: {
      lit: { summary: 'Light', does: () => { throw refusal({ target: 'label', code: 'Dark', message: 'It has no oil.' }) } },
      shade: { summary: 'Shade', does: (lamp) => ({ ...lamp, label: '' }) },
    } })`
  await writeFile(join(folder, 'lamp.ts'), declaration)
  const here = ['--resources', './lamp.ts']
  const { lampId } = JSON.parse(await good('lamp', 'add', '--label', 'desk', '--json', ...here))
  const { code, err } = await run(['lamp', 'lit', lampId, ...here])
  assert.deepEqual([code, err], [1, 'rollcall: It has no oil.\n'])
  assert.match(
    (await run(['lamp', 'shade', lampId, ...here])).err,
    /^rollcall: System error occurred: .*label.*\.\n$/,
  )
})

for (const { name, empty: url, skip } of databases)
  describe(`${name}: the commands of a declared resource`, { skip }, () => {
    test('keep references to records created later, of the same resource or of another, through export, import and move', async (t) => {
      const { folder, good, run } = await open(await url(t))
      const declaration = `
        import { Nullable, Reference, resource, Text } from 'rollcall/resource'
        const [parentId, lampId] = ['place', 'lamp'].map((name) => Nullable(Reference(name)))
        export const place = resource({ name: 'place', fields: { label: Text(1, 20), parentId, lampId } })
        export const lamp = resource({ name: 'lamp', fields: { placeId: Reference('place') } })`
      await writeFile(join(folder, 'place.ts'), declaration)
      const here = ['--resources', './place.ts']
      const add = async (label: string) =>
        JSON.parse(await good('place', 'add', '--label', label, '--json', ...here)).placeId as string
      const [room, house] = [await add('room'), await add('house')]
      await good('place', 'change', room, '--parent-id', house, ...here)
      await good('export', 'places', 'places.ndjson', ...here)
      const other = ['--database-url', await url(t), ...here]
      const file = ['import', 'places', 'places.ndjson', '--exact', ...other]
      assert.match(await good(...file), /^2 written, 0 already there, 0 refused\.\n$/)
      await good('place', 'change', house, '--parent-id', room, ...other)
      const added = await good('lamp', 'add', '--place-id', house, '--json', ...other)
      const { lampId } = JSON.parse(added)
      await good('place', 'change', house, '--lamp-id', lampId, ...other)
      const copy = await url(t)
      const move = ['move', '--from', other[1] ?? '', '--to', copy, ...here]
      assert.match(await good(...move), /^ {2}places +2 .*\n {2}lamps +1 /m)
      const shown = await good('place', 'show', house, '--database-url', copy, ...here)
      assert.equal(JSON.parse(shown).lampId, lampId)
      assert.match(
        await good('place', 'list', '--parent-id', room, '--database-url', copy, ...here),
        / house /,
      )
      const { out } = await run(['verify', '--database-url', copy, ...here])
      assert.match(out, /No findings/)
    })

    test('doctor reports tables that lack a field of the declaration as older, which a start changes', async (t) => {
      const { folder, good, run } = await open(await url(t))
      await good('migrate')
      const module = await readFile(join(folder, 'loan.ts'), 'utf8')
      await writeFile(join(folder, 'newer.ts'), module.replace('due: Day,', '$& note: Nullable(Text(0, 9)),'))
      const here = ['--resources', './newer.ts']
      const doctor = ['doctor', '--port', '0', '--management-port', '0', ...here]
      assert.match((await run(doctor)).out, /^look +data .* its tables are from an earlier version; /m)
      assert.equal(await good('migrate', ...here), 'loan/+note\n')
      assert.match((await run(doctor)).out, /^good +data .* with the tables of this version; /m)
    })

    test('keep the changes of a record apart from those of another resource with the same id', async (t) => {
      const { folder, good } = await open(await url(t))
      const declaration = `
        import { resource, Text } from 'rollcall/resource'
        export const box = resource({ name: 'box', fields: { label: Text(1, 20) } })
        export const tin = resource({ name: 'tin', fields: { label: Text(1, 20) } })`
      await writeFile(join(folder, 'twins.ts'), declaration)
      const here = ['--resources', './twins.ts']
      const { boxId } = JSON.parse(await good('box', 'add', '--label', 'big', '--json', ...here))
      await writeFile(join(folder, 'tins.ndjson'), JSON.stringify({ tinId: boxId, label: 'small' }))
      await good('import', 'tins', 'tins.ndjson', ...here)
      await good('box', 'remove', boxId, ...here)
      assert.match(await good('verify', ...here), /No findings/)
      assert.match(await good('box', 'restore', boxId, ...here), / big\n/)
      assert.match(await good('verify', ...here), /No findings/)
    })

    // The rest says nothing of the engine.
    if (name !== 'SQLite') return

    test('export, import and verify its records', async (t) => {
      const { good } = await open(await url(t))
      const { memberId } = JSON.parse(await good(...addJohn))
      await good('loan', 'add', '--member-id', memberId, '--title', 'Saw', ...due, '--kind', 'tool')
      await good('export', 'loans', 'loans.ndjson')
      await good('loan', 'remove', JSON.parse(await good('loan', 'list', '--json')).loanId)
      assert.match(
        await good('import', 'loans', 'loans.ndjson'),
        /^1 new, 0 changed, 0 unchanged, 0 refused\.\n$/,
      )
      assert.match(await good('verify'), /No findings/)
      assert.match(await good('migrate'), /The tables are up to date\./)
      assert.match(
        await good('doctor', '--port', '0', '--management-port', '0'),
        /with the tables of this version/,
      )
      assert.match(await good('openapi'), /"\/loans\/\{loanId\}"/)
    })
  })

test('the commands of a declared resource work on a running service, whether a flag or the settings file names its module', async (t) => {
  const api = await startApp(t, {}, { resources: [loan] })
  const { memberId } = (await api('POST /members', john)).body as { memberId: string }
  const { folder, run } = await open()
  await writeFile(join(folder, 'settings'), 'RESOURCES=./loan.ts\n')
  const add = ['loan', 'add', '--member-id', memberId, '--title', 'Saw', ...due, '--kind', 'tool']
  const here = { RESOURCES: '', ROLLCALL_URL: api.url }
  for (const known of [
    ['--resources', './loan.ts'],
    ['--resources=loan.ts'],
    ['--settings-file', 'settings'],
  ]) {
    const environment = { DATABASE_URL: 'sqlite:none.db', ROLLCALL_URL: api.url }
    const ended = await rollcall([...add, ...known], { cwd: folder, environment })
    assert.equal(ended.code, 0, ended.err)
  }
  assert.equal(((await api('GET /loans')).body as unknown[]).length, 3)
  const hint =
    'If this is a command of a resource of your own, name its module with --resources or RESOURCES.\n'
  const unknown = await run(add, here)
  assert.deepEqual([unknown.code, unknown.err], [2, `rollcall: unknown command 'loan'\n${hint}`])
  assert.equal((await run(['lend'])).err, "rollcall: unknown command 'lend'\n")
})

test('the help and the completion list the commands of declared resources', async () => {
  const { good } = await open()
  assert.match(await good('--help'), /^ {2}loan +Add, list, show, change, remove and restore\s+loans\.$/m)
  assert.match(await good('import', '--help'), /^ {2}loans: memberId, title/m)
  const help = await good('loan', 'add', '--help')
  assert.match(help, /--kind <text> +book or tool \(choices: "book", "tool"\)/)
  assert.match(help, /--shelf <text> +1 to 20 characters; "" for none/)
  const script = await good('completion', 'bash')
  assert.match(script, /'loan add'\) words='[^']*--title/)
  assert.match(script, /'import loans'/)
})

test('a field named like a flag that every command has gets a flag that begins with the name of the resource', async () => {
  const { folder, run } = await open()
  const fields = '{ url: Text(1, 99), limit: Whole(1) }'
  const module = `import { resource, Text, Whole } from 'rollcall/resource'
    export const link = resource({ name: 'link', fields: ${fields} })`
  await writeFile(join(folder, 'link.ts'), module)
  const with_ = { RESOURCES: './link.ts' }
  const added = await run(['link', 'add', '--link-url', 'a', '--link-limit', '2', '--json'], with_)
  assert.partialDeepStrictEqual(JSON.parse(added.out), { url: 'a', limit: 2 })
  const listed = await run(['link', 'list', '--limit', '5', '--link-limit', '2'], with_)
  assert.match(listed.out, /\n\S+ +a +2\n/)
})

test('a field whose name begins with "no" changes only by its own flag', async () => {
  const { folder, good } = await open()
  const module = `import { Flag, resource, Starting, Text } from 'rollcall/resource'
    export const visit = resource({ name: 'visit', fields: { who: Text(1, 20), noShow: Starting(true, Flag) } })`
  await writeFile(join(folder, 'visit.ts'), module)
  const here = ['--json', '--resources', './visit.ts']
  const added = JSON.parse(await good('visit', 'add', '--who', 'Ann', ...here))
  const changed = JSON.parse(await good('visit', 'change', added.visitId, '--who', 'Bo', ...here))
  assert.deepEqual([added.noShow, changed.noShow], [true, true])
  const other = await good('visit', 'add', '--who', 'Cy', '--no-show', 'false', ...here)
  assert.partialDeepStrictEqual(JSON.parse(other), { noShow: false })
  assert.equal((await good('visit', 'list', ...here)).trim().split('\n').length, 2)
  assert.equal(await good('visit', 'list', '--no-show', 'false', ...here), other)
})

test('fields that a module adds to todos and members have flags, and so have their filters', async () => {
  const { folder, good } = await open()
  const fields = '{ place: Nullable(Text(1, 20)), floor: Starting(0, Whole(0)) }'
  const module = `import { extend, Nullable, Starting, Text, Whole } from 'rollcall/resource'
    export const todo = extend('todo', { fields: ${fields} })
    export const member = extend('member', { fields: ${fields} })`
  await writeFile(join(folder, 'further.ts'), module)
  const here = ['--resources', './further.ts']
  assert.match(
    await good('todo', 'add', '--help', ...here),
    /--place <text> +1 to 20 characters; "" for none/,
  )
  for (const add of [['todo', 'add', 'Milk', '--json'], addJohn]) {
    await good(...add, '--place', 'Kitchen', '--floor', '2', ...here)
    const list = [add[0] ?? '', 'list', '--json', ...here]
    assert.match(await good(...list, '--place', 'kit', '--floor', '2'), /"place":"Kitchen"/)
    assert.equal(await good(...list, '--place-is-null', 'true'), '')
  }
})

test('init writes a module that is served at once, and overwrites nothing', async () => {
  const folder = freshFolder()
  const run = (...args: readonly string[]) => rollcall(args, { cwd: folder })
  const { code, out } = await run('init', 'library')
  const install = `npm install ${projectRoot}/rollcall-${version}.tgz node@26`
  const lines = ['Next:', `(cd ${projectRoot} && npm pack)`, 'cd library', install, 'npm start']
  assert.deepEqual([code, out], [0, `Wrote loan.ts, package.json, tsconfig.json. ${lines.join('\n  ')}\n`])
  const written = JSON.parse(await readFile(join(folder, 'library/package.json'), 'utf8'))
  assert.equal(written.dependencies, undefined, 'no registry has this program')
  assert.match(await readFile(join(folder, 'library/tsconfig.json'), 'utf8'), /"skipLibCheck": true/)
  const again = await run('init', 'library')
  assert.deepEqual(
    [again.code, again.err],
    [2, 'rollcall: library/loan.ts already exists. Nothing is written.\n'],
  )
  const environment = { RESOURCES: './loan.ts', DATABASE_URL: 'sqlite:a.db' }
  const add = ['loan', 'add', '--title', 'Saw', ...due, '--kind', 'tool', '--json']
  const added = await rollcall(add, { cwd: join(folder, 'library'), environment })
  assert.equal(JSON.parse(added.out).title, 'Saw')
})

test('init leaves an existing package.json unchanged, and says what the file lacks', async () => {
  const start = 'rollcall serve --resources ./loan.ts'
  for (const [given, says] of [
    ['{"type":"commonjs"}', `npm pkg set type=module "scripts.start=exec ${start}"\n  npm start\n`],
    ['{"type":"module","scripts":{"start":"node a.js"}}', `cd there\n  npx ${start}\n`],
  ] as const) {
    const folder = freshFolder()
    await mkdir(join(folder, 'there/node_modules/rollcall'), { recursive: true })
    await writeFile(join(folder, 'there/package.json'), given)
    const { out } = await rollcall(['init', 'there'], { cwd: folder })
    assert.match(out, /^Wrote loan\.ts, tsconfig\.json\. there.package\.json is left as it was\. Next:\n/)
    assert.ok(out.endsWith(says), out)
    assert.equal(await readFile(join(folder, 'there/package.json'), 'utf8'), given)
  }
})

test('with a faulty declaration every command exits with 2 and names the file, the field and the reason', async () => {
  const { folder, run } = await open()
  const declared = (name: string, fields: string) =>
    `import { CodeList, Reference, resource } from 'rollcall/resource'
    export const loan = resource({ name: '${name}', fields: ${fields} })`
  await writeFile(join(folder, 'codes.ts'), declared('loan', "{ kind: CodeList('CL_LOAN', []) }"))
  await writeFile(join(folder, 'car.ts'), declared('loan', "{ carId: Reference('car') }"))
  await writeFile(join(folder, 'enum.ts'), `\nenum Kind { Book = 'book' }\n${declared('loan', '{}')}`)
  const migrations = "{ kind: CodeList('CL_LOAN', ['a']) }, migrations: './none/'"
  await writeFile(join(folder, 'sql.ts'), declared('loan', migrations))
  for (const [RESOURCES, says] of [
    ['codes.ts', /codes\.ts:2: .*"loan" cannot be used: the field "kind" has a code list without codes\.\n$/],
    [
      'car.ts',
      /car\.ts: .*"loan" cannot be used: the field "carId" refers to "car", which is not declared\.\n$/,
    ],
    ['none.ts', /none\.ts cannot be loaded: /],
    ['enum.ts', /enum\.ts(?::2)? cannot be loaded: TypeScript enum is not supported in strip-only mode\n$/],
    ['sql.ts', /"loan" names the migrations \.\/none\/, but there is no folder [^\n]*\/none\/\.\n$/],
  ] as const)
    for (const command of ['serve', 'verify', 'migrate', 'import loans x.csv', 'openapi']) {
      const { code, err } = await run(command.split(' '), { RESOURCES, PORT: '0', MANAGEMENT_PORT: '0' })
      assert.equal(code, 2, `${command}: ${err}`)
      assert.match(err, says)
      assert.match(err, /^rollcall: RESOURCES: [^\n]*\n$/)
    }
})
