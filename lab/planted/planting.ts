/**
 * Loaded before a service (`--import …/planting.ts?its%20name`): whoever imports one of the plant's modules gets it with
 * the mistake in it. The service's own source has neither the mistake nor a switch for it.
 */
import { registerHooks } from 'node:module'
import type { WrappedModule } from './plant.ts'
import { plants } from './plants.ts'

const source = new URL('../../src/', import.meta.url)

/** The Node option that plants this mistake. */
export const plantingOption = (name: string) =>
  `--import ${new URL(`planting.ts?${encodeURIComponent(name)}`, import.meta.url)}`

/** The exports of a module that the mistake replaces. Throws if the module has no such export. */
export const wrappedExports = (file: string, name: string, real: object) => {
  const { wraps } = placeIn(plantOf(name).places, file)
  return Object.fromEntries(
    Object.entries(wraps).map(([exported, wrap]) => [
      exported,
      wrap(exportOf(real, file, exported) as never),
    ]),
  )
}

const plantOf = (name: string) => {
  const plant = plants.find((one) => one.name === name)
  if (!plant) throw new Error(`there is no plant ${name}`)
  return plant
}

const placeIn = (places: readonly WrappedModule[], file: string) => {
  const place = places.find((one) => one.file === file)
  if (!place) throw new Error(`nothing is planted in ${file}`)
  return place
}

const exportOf = (real: object, file: string, exported: string): unknown => {
  const found: unknown = Reflect.get(real, exported)
  if (typeof found === 'function') return found
  throw new Error(
    `src/${file} exports no function ${exported} any more. In lab/planted/plants.ts, make the same mistake where that is done now.`,
  )
}

const name = decodeURIComponent(new URL(import.meta.url).search.slice(1))
const mark = '?planted'

if (name !== '') {
  const places = new Map(plantOf(name).places.map((place) => [new URL(place.file, source).href, place]))
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      // The module with the mistake imports the one without it.
      const isOfReal = context.parentURL?.endsWith(mark)
      return places.has(found.url) && !isOfReal ? { ...found, url: found.url + mark } : found
    },
    load(url, context, next) {
      const place = url.endsWith(mark) && places.get(url.slice(0, -mark.length))
      if (!place) return next(url, context)
      const real = JSON.stringify(url.slice(0, -mark.length))
      const exported = Object.keys(place.wraps).join(', ')
      const text = `
        import * as real from ${real}
        import { wrappedExports } from ${JSON.stringify(new URL('planting.ts', import.meta.url).href)}
        export * from ${real}
        export const { ${exported} } = wrappedExports(${JSON.stringify(place.file)}, ${JSON.stringify(name)}, real)`
      return { format: 'module', source: text, shortCircuit: true }
    },
  })
}
