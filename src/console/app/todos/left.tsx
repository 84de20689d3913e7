import { useWords } from '#console/app/words/index.ts'

/** The limit of the service, counted as the service counts, in code points. */
export const longestTitle = 30

/** Below this, the number of characters left is shown. */
const saidFrom = 18

export const Left = ({ id, title }: { id: string; title: string }) => {
  const { todos: words } = useWords()
  const length = [...title].length
  const left = longestTitle - length
  return (
    <p id={id} class={left < 0 ? 'todo-left todo-left-over' : 'todo-left'} hidden={length < saidFrom}>
      {left < 0 ? words.over(-left) : words.left(left)}
    </p>
  )
}
