/** A deliberate mistake in the service, and the fault that must find it. */
export interface Plant {
  readonly name: string
  readonly places: readonly WrappedModule[]
  readonly finder: string
  /** How many of its rounds the finder needs, as a share of all. */
  readonly size: number
}

export interface PlantResult {
  readonly name: string
  readonly finder: string
  readonly isCaught: boolean
  /** What the finder reported. */
  readonly says: string
}

/** The exports of a module that the mistake replaces, with their replacements. */
export interface WrappedModule {
  /** Below `src`. */
  readonly file: string
  readonly wraps: Readonly<Record<string, (real: never) => unknown>>
}

export type Wraps<Module> = { readonly [Name in keyof Module]?: (real: Module[Name]) => Module[Name] }

/** Typed by the module, so that a mistake in a function that has changed does not compile. */
export const inModule = <Module>(file: string, wraps: Wraps<Module>): WrappedModule => ({
  file,
  wraps: wraps as WrappedModule['wraps'],
})
