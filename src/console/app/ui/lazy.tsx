import { createElement } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { reportAs } from '#console/app/state/notes.ts'
import { wordsNow } from '#console/app/words/index.ts'

/** Loads the code that the first page does not need. Its file has another name once the service was updated. */
export const loadLazy = () =>
  import('#console/app/lazy.ts').catch((cause) => {
    throw new Error(wordsNow().failure.notLoaded, { cause })
  })

type Loadable = Omit<typeof import('#console/app/lazy.ts'), 'lazyPages' | 'invite' | 'importRows'>

/** Loads the code of a component when `open` is called. `Component` is undefined before. A failure is shown in a note with `failureLabel`. */
export const useLazy = <Name extends keyof Loadable>(name: Name, failureLabel: string) => {
  const [Component, setComponent] = useState<Loadable[Name]>()
  const open = () => loadLazy().then((loaded) => setComponent(() => loaded[name]), reportAs(failureLabel))
  return { Component, open, close: () => setComponent(undefined) }
}

interface LazyProps<Name extends keyof Loadable> {
  readonly name: Name
  readonly props: Parameters<Loadable[Name]>[0]
  readonly failureLabel: string
}

/** Shows a component whose code is loaded separately. */
export const Lazy = <Name extends keyof Loadable>({ name, props, failureLabel }: LazyProps<Name>) => {
  const { Component, open } = useLazy(name, failureLabel)
  useEffect(() => void open(), [])
  return Component ? createElement(Component as (props: object) => ReturnType<Loadable[Name]>, props) : null
}
