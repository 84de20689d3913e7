import { randomId } from '#client/random-id.ts'
import { type Failure, type Fault, faultsByTarget, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { store } from '#console/app/state/store.ts'
import { warnBeforeClosing } from '#console/app/state/unsaved.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { faultText, quotedText } from '#console/app/words/visible.ts'

/** A todo to add. Because of its key, only one todo is added even if the request is sent several times. */
export interface Addition {
  readonly title: string
  readonly key: string
  /** Set if the todo may exist already, because the answer to an earlier attempt was lost. */
  readonly isUncertain: boolean
}

interface NewTodoState {
  readonly typed: string
  readonly fault?: Fault | undefined
  /** The refused addition whose title is in the field, until the user edits the title. */
  readonly refused?: Addition | undefined
}

/** The text typed for a new todo. It stays while the user is on other pages. */
export const newTodo = store<NewTodoState>({ typed: '' })

export const setTyped = (typed: string) => {
  const { refused } = newTodo.get()
  newTodo.set({ typed, refused: refused?.title === titleOf(typed) ? refused : undefined })
}

interface AddOptions {
  /** Resolves to the failure, or to undefined. */
  readonly send: (addition: Addition) => Promise<Failure | undefined>
  /** True while the user sees the field. */
  readonly isShown: () => boolean
}

/** Sends the typed title, and clears the field immediately. */
export const add = async ({ send, isShown }: AddOptions) => {
  const { typed, refused } = newTodo.get()
  const title = titleOf(typed)
  const fault = faultOf(title)
  if (fault) return newTodo.set({ typed: title && typed, fault, refused })
  newTodo.set({ typed: '' })
  const addition = refused ?? { title, key: randomId(), isUncertain: false }
  const allowClosing = warnBeforeClosing()
  const failure = await send(addition)
  allowClosing()
  if (failure) putBackTitle(addition, failure, isShown)
}

/** Puts a refused title back into the field, unless the user has typed another. If the user does not see it, shows a note. */
const putBackTitle = (addition: Addition, failure: Failure, isShown: () => boolean) => {
  const words = wordsNow()
  const { title } = addition
  const isUncertain = addition.isUncertain || isOutcomeUnknown(failure)
  const fault = faultsByTarget(failure).get('todoTitle')
  const isFree = titleOf(newTodo.get().typed) === ''
  if (isFree) newTodo.set({ typed: title, fault, refused: { ...addition, isUncertain } })
  if (isFree && fault && isShown()) return
  const failedText = isUncertain ? words.todos.failed.addPerhaps : words.todos.failed.add
  notifyFailure(failedText(quotedText(title, words)), failure, fault && faultText(fault, words))
}

let allowReload: (() => void) | undefined

/** Warns before the page is closed or reloaded with input. Going to another page of the console does not lose the input. */
newTodo.watch(() => {
  const isEmpty = titleOf(newTodo.get().typed) === ''
  if (!isEmpty) allowReload ??= warnBeforeClosing()
  else {
    allowReload?.()
    allowReload = undefined
  }
})

/** The title to send, without white space around it. */
export const titleOf = (typed: string) => typed.trim()

/** The limit of the service, in code points. */
export const maxTitleLength = 30

export const lengthOf = (title: string) => [...title].length

/** The fault of a title that is empty or too long. Such a title is not sent: it would appear in the list until it is refused. */
export const faultOf = (title: string): Fault | undefined => {
  if (title === '') return { code: 'NotNull', message: '' }
  return lengthOf(title) > maxTitleLength ? { code: 'Size', message: `1 ${maxTitleLength}` } : undefined
}
