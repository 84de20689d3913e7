import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { Command } from 'commander'
import { UsageError } from '#src/cli/exit.ts'
import { nameFileInErrors } from '#src/cli/files.ts'
import { print } from '#src/cli/output.ts'
import { packageFolder, version } from '#src/version.ts'

export const initCommand = () =>
  new Command('init')
    .description('Write a module with a resource of your own, and a package.json that serves it.')
    .argument('[folder]', 'where; existing files are not overwritten', '.')
    .addHelpText('after', '\nExample:\n  rollcall init library')
    .action(async (folder: string) => {
      const files = filesOf(folder)
      // Keeps an existing package.json, such as one that `npm init` has just made.
      const packagePath = join(folder, packageFile)
      const existingPackage = existsSync(packagePath) ? readPackage(packagePath) : undefined
      const missing = files.filter(([file]) => file !== packageFile || !existingPackage)
      const occupied = missing.find(([file]) => existsSync(join(folder, file)))
      if (occupied) throw new UsageError(`${join(folder, occupied[0])} already exists. Nothing is written.`)
      nameFileInErrors(folder, 'created', () => mkdirSync(folder, { recursive: true }))
      for (const [file, text] of missing)
        nameFileInErrors(join(folder, file), 'created', () =>
          writeFileSync(join(folder, file), text, { flag: 'wx' }),
        )
      const packageNote = existingPackage ? ` ${packagePath} is left as it was.` : ''
      const lines = nextSteps(folder, existingPackage ?? packageOf(folder)).map((line) => `\n  ${line}`)
      await print(`Wrote ${missing.map(([file]) => file).join(', ')}.${packageNote} Next:${lines.join('')}`)
    })

const packageFile = 'package.json'
const serveCommand = 'rollcall serve --resources ./loan.ts'

/** Without `exec`, a signal to `npm start`, as from a container, would end only the shell, not the service. */
const startScript = `exec ${serveCommand}`

interface Package {
  readonly type?: string
  readonly scripts?: { readonly start?: string }
}

const filesOf = (folder: string) =>
  Object.entries({
    'loan.ts': moduleText,
    [packageFile]: json(packageOf(folder)),
    'tsconfig.json': json({ compilerOptions }),
  })

/** Names no dependency, because no registry has Rollcall: `npm install` adds it as a packed file. */
const packageOf = (folder: string): Package & Readonly<Record<string, unknown>> => ({
  name: basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-'),
  private: true,
  type: 'module',
  scripts: { start: startScript },
})

const readPackage = (path: string): Package => {
  const text = nameFileInErrors(path, 'read', () => readFileSync(path, 'utf8'))
  try {
    return Object(JSON.parse(text))
  } catch {
    throw new UsageError(`${path} is not JSON. Nothing is written.`)
  }
}

/** The commands that the user types next to serve the module, from the folder in which `init` was called. */
const nextSteps = (folder: string, { type, scripts }: Package): readonly string[] => {
  const isInstalled = existsSync(join(folder, 'node_modules/rollcall'))
  const isClone = !packageFolder.split(sep).includes('node_modules')
  const packedFile = join(isClone ? packageFolder : '…', `rollcall-${version}.tgz`)
  const missing = [
    ...(type === 'module' ? [] : ['type=module']),
    ...(scripts?.start ? [] : [`"scripts.start=${startScript}"`]),
  ]
  const npmStartServes = [undefined, '', startScript, serveCommand].includes(scripts?.start)
  return [
    ...(isInstalled || !isClone ? [] : [`(cd ${quoted(packageFolder)} && npm pack)`]),
    ...(resolve(folder) === process.cwd() ? [] : [`cd ${quoted(folder)}`]),
    ...(missing.length === 0 ? [] : [`npm pkg set ${missing.join(' ')}`]),
    ...(isInstalled ? [] : [`npm install ${quoted(packedFile)} node@26${isClone ? '' : packedNote}`]),
    npmStartServes ? 'npm start' : `npx ${serveCommand}`,
  ]
}

const packedNote = '   (… is the clone in which `npm pack` made the file)'

const quoted = (path: string) => (/^[\w./:\\…-]+$/.test(path) ? path : `"${path}"`)

const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`

const compilerOptions = {
  module: 'nodenext',
  target: 'esnext',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
}

const moduleText = `import { CodeList, Day, Nullable, Reference, resource, Text, Unique } from 'rollcall/resource'

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
