import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Command } from 'commander'
import { UsageError } from '#src/cli/exit.ts'
import { orExplain } from '#src/cli/files.ts'
import { print } from '#src/cli/output.ts'
import { version } from '#src/version.ts'

export const initCommand = () =>
  new Command('init')
    .description('Write a module with a resource of your own, and a package.json that serves it.')
    .argument('[folder]', 'where; existing files are not overwritten', '.')
    .addHelpText('after', '\nExample:\n  rollcall init library')
    .action(async (folder: string) => {
      const name = basename(resolve(folder))
        .toLowerCase()
        .replace(/[^a-z0-9-]/g, '-')
      const files = Object.entries({
        'loan.ts': module,
        'package.json': json({
          name,
          private: true,
          type: 'module',
          scripts: { start: 'rollcall serve --resources ./loan.ts' },
          dependencies: { rollcall: `^${version}` },
        }),
        'tsconfig.json': json({ compilerOptions }),
      })
      // Keeps an existing package.json, such as one that `npm install` has just made.
      const missing = files.filter(([file]) => file !== 'package.json' || !existsSync(join(folder, file)))
      const there = missing.find(([file]) => existsSync(join(folder, file)))
      if (there) throw new UsageError(`${join(folder, there[0])} already exists. Nothing is written.`)
      orExplain(folder, 'created', () => mkdirSync(folder, { recursive: true }))
      for (const [file, text] of missing)
        orExplain(join(folder, file), 'created', () =>
          writeFileSync(join(folder, file), text, { flag: 'wx' }),
        )
      const command = 'npx rollcall serve --resources ./loan.ts'
      const next = resolve(folder) === process.cwd() ? command : `cd ${folder} && ${command}`
      await print(`Wrote ${missing.map(([file]) => file).join(', ')}. Next:\n  ${next}`)
    })

const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`

const compilerOptions = {
  ...{ module: 'nodenext', target: 'esnext', strict: true, noEmit: true },
  ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true },
}

const module = `import { CodeList, Day, Nullable, Reference, resource, Text, Unique } from 'rollcall/resource'

export const loan = resource({
  name: 'loan',
  fields: {
    memberId: Nullable(Reference('member')),
    title: Text(1, 60),
    shelf: Nullable(Unique(Text(1, 20))),
    due: Day,
    kind: CodeList('CL_LOAN', ['book', 'tool']),
  },
})
`
