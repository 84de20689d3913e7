import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { messageOf } from '#core/cause.ts'
import type { Declared, Extension } from '#resources/declaration.ts'
import { assembleResources } from '#resources/index.ts'
import { DeclarationError } from '#resources/machine/validity.ts'
import type { Resource } from '#resources/resource.ts'
import { type Config, SettingError } from '#src/config.ts'

/** A resource or extension from a module of RESOURCES or from an embedding program. */
export type CustomResource = Resource | Extension

/** The built-in resources, and those declared by the modules in RESOURCES and by the program that embeds the service. */
export const resourcesOf = async (
  { RESOURCES }: Pick<Config, 'RESOURCES'>,
  embedded: readonly CustomResource[] = [],
): Promise<readonly Resource[]> => {
  const loaded = await loadResources(RESOURCES)
  if (!embedded.every(isResource))
    throw new SettingError('`resources` must list what `resource({ … })` and `extend(…)` returned: `[loan]`.')
  try {
    const here = pathToFileURL(`${process.cwd()}/`)
    return assembleResources([...loaded, ...embedded.map((one) => withMigrations(one, here))])
  } catch (error) {
    if (error instanceof DeclarationError)
      throw new SettingError(`RESOURCES: ${[...RESOURCES, error.message].join(': ')}`, { cause: error })
    throw error
  }
}

export const loadResources = async (paths: readonly string[]): Promise<readonly CustomResource[]> =>
  (await Promise.all(paths.map(loadModule))).flat()

/** Loads what a module declares. In the module, `rollcall/resource` is the file of this installation, wherever the module lies. */
const loadModule = async (path: string): Promise<readonly CustomResource[]> => {
  hookResourceModule()
  const url = pathToFileURL(resolve(path))
  const imported: Promise<Readonly<Record<string, unknown>>> = import(url.href)
  const module = await withTimeLimit(imported, loadLimitMs).catch((error: unknown) => {
    const loadText = error instanceof DeclarationError ? '' : ' cannot be loaded'
    throw new SettingError(`RESOURCES: ${path}${lineOf(error, url)}${loadText}: ${messageOf(error)}`, {
      cause: error,
    })
  })
  const declared = Object.values(module).filter(isResource)
  if (declared.length === 0)
    throw new SettingError(
      `RESOURCES: ${path} exports no resource: write \`export const loan = resource({ … })\`.`,
    )
  return declared.map((one) => withMigrations(one, url))
}

/** The time limit for loading a module, which may await something that never happens. */
const loadLimitMs = 10_000

const withTimeLimit = <T>(promise: Promise<T>, ms: number): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`it has not ended within ${ms / 1000} s`)), ms)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The line of the module that threw the error, such as `:7`. */
const lineOf = (error: unknown, { href }: URL) => {
  const [, after] = (error instanceof Error ? (error.stack ?? '') : '').split(`${href}:`)
  const line = Number.parseInt(after ?? '', 10)
  return Number.isNaN(line) ? '' : `:${line}`
}

const isResource = (value: unknown): value is CustomResource =>
  typeof value === 'object' &&
  value !== null &&
  ('declaration' in value || ('extends' in value && 'fields' in value))

/** Resolves the folder of migrations against the module, or against the working directory of a program that embeds the service. */
const withMigrations = (resource: CustomResource, baseUrl: URL): CustomResource => {
  const { name, migrations } = (resource as Partial<Declared>).declaration ?? {}
  if (migrations === undefined) return resource
  const folder = new URL(`${migrations}`.replace(/\/?$/, '/'), baseUrl)
  if (existsSync(folder)) return { ...resource, migrations: folder }
  throw new SettingError(
    `RESOURCES: the declaration of "${name}" names the migrations ${migrations}, but there is no folder ${fileURLToPath(folder)}.`,
  )
}

let isHooked = false

const hookResourceModule = () => {
  if (isHooked) return
  isHooked = true
  const url = import.meta.resolve('#src/resource.ts')
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'rollcall/resource' ? { url, shortCircuit: true } : next(specifier, context),
  })
}
