/** A deliberate mistake in the service, and the fault that must find it. */
export interface Plant {
  readonly name: string
  readonly places: readonly WrappedModule[]
  readonly finder: string
  /** The share of the finder's rounds that is needed. */
  readonly size: number
}

export interface PlantResult {
  readonly name: string
  readonly finder: string
  readonly isCaught: boolean
  /** What the finder reported. */
  readonly says: string
}

/** What a module exports, and what a service with the mistake finds in its place. */
export interface WrappedModule {
  /** Below `src`. */
  readonly file: string
  readonly wraps: Readonly<Record<string, (real: never) => unknown>>
}

export type Wraps<Module> = { readonly [Name in keyof Module]?: (real: Module[Name]) => Module[Name] }

/** The compiler knows the module, so a mistake whose place has changed does not compile. */
export const inModule = <Module>(file: string, wraps: Wraps<Module>): WrappedModule => ({
  file,
  wraps: wraps as WrappedModule['wraps'],
})
