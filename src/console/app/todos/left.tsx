import { useWords } from '#console/app/words/index.ts'

/** The limit of the service, counted as the service counts, in code points. */
export const maxTitleLength = 30

/** Below this, the number of characters left is shown. */
const shownFrom = 18

export const Left = ({ id, title }: { id: string; title: string }) => {
  const { todos: words } = useWords()
  const length = [...title].length
  const left = maxTitleLength - length
  return (
    <p id={id} class={left < 0 ? 'todo-left todo-left-over' : 'todo-left'} hidden={length < shownFrom}>
      {left < 0 ? words.over(-left) : words.left(left)}
    </p>
  )
}
