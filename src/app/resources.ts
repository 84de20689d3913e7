import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '#core/cause.ts'
import type { Declared, Extension } from '#resources/declaration.ts'
import { assembled } from '#resources/index.ts'
import { DeclarationError } from '#resources/machine/soundness.ts'
import type { Resource } from '#resources/resource.ts'
import { type Config, SettingError } from '#src/config.ts'

/** A resource or extension from a module of RESOURCES or from an embedding program. */
export type Brought = Resource | Extension

/** The resources of the service, and those that its setting RESOURCES and its program declare. */
export const resourcesOf = async (
  { RESOURCES }: Pick<Config, 'RESOURCES'>,
  brought: readonly Brought[] = [],
): Promise<readonly Resource[]> => {
  const loaded = await broughtBy(RESOURCES)
  try {
    return assembled([...loaded, ...brought])
  } catch (error) {
    if (error instanceof DeclarationError)
      throw new SettingError(`RESOURCES: ${[...RESOURCES, error.message].join(': ')}`, { cause: error })
    throw error
  }
}

/** All resources and extensions that these modules export. */
export const broughtBy = async (paths: readonly string[]): Promise<readonly Brought[]> =>
  (await Promise.all(paths.map(load))).flat()

/** Everything that a module declares. `rollcall/resource` means this program's own, wherever the module lies. */
const load = async (path: string): Promise<readonly Brought[]> => {
  provideOwn()
  const url = pathToFileURL(resolve(path))
  const module: Readonly<Record<string, unknown>> = await import(url.href).catch((error: unknown) => {
    throw new SettingError(`RESOURCES: ${path} cannot be loaded: ${messageOf(error)}`, { cause: error })
  })
  const declared = Object.values(module).filter(isBrought)
  if (declared.length === 0)
    throw new SettingError(
      `RESOURCES: ${path} exports no resource: write \`export const loan = resource({ … })\`.`,
    )
  return declared.map((one) => withMigrations(one, url))
}

const isBrought = (value: unknown): value is Brought =>
  typeof value === 'object' &&
  value !== null &&
  ('declaration' in value || ('extends' in value && 'fields' in value))

/** Resolves the folder of migrations from the place of the module. */
const withMigrations = (one: Brought, module: URL): Brought => {
  const { migrations } = (one as Partial<Declared>).declaration ?? {}
  return migrations === undefined
    ? one
    : { ...one, migrations: new URL(`${migrations}`.replace(/\/?$/, '/'), module) }
}

let isProvided = false

const provideOwn = () => {
  if (isProvided) return
  isProvided = true
  const own = import.meta.resolve('#src/resource.ts')
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'rollcall/resource' ? { url: own, shortCircuit: true } : next(specifier, context),
  })
}
