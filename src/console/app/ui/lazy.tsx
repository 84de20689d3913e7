import { createElement } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { reportAs } from '#console/app/state/notes.ts'

type Parts = Omit<typeof import('#console/app/lazy.ts'), 'lazyPages' | 'invite' | 'importRows'>

/** A dialog or an input whose code is loaded when it is opened; undefined while it is closed. If loading fails, a note with this label says so. */
export const useLazy = <Name extends keyof Parts>(name: Name, label: string) => {
  const [Component, setComponent] = useState<Parts[Name]>()
  const open = () =>
    import('#console/app/lazy.ts').then((loaded) => setComponent(() => loaded[name]), reportAs(label))
  return { Component, open, close: () => setComponent(undefined) }
}

interface LazyParts<Name extends keyof Parts> {
  readonly part: Name
  readonly parts: Parameters<Parts[Name]>[0]
  readonly label: string
}

/** A part that is shown from the beginning, but whose code is loaded separately. */
export const Lazy = <Name extends keyof Parts>({ part, parts, label }: LazyParts<Name>) => {
  const { Component, open } = useLazy(part, label)
  useEffect(() => void open(), [])
  return Component ? createElement(Component as (parts: object) => ReturnType<Parts[Name]>, parts) : null
}
