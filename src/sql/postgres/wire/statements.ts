import type { Value } from '#sql/query.ts'
import type { Columns } from './columns.ts'
import { isStalePlan } from './errors.ts'
import type { Outgoing } from './outgoing.ts'

/** A prepared statement. Its name can be used as soon as `prepare` was sent. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** Undefined until the server has described the columns. */
  columns: Columns | undefined
}

interface Execution {
  readonly text: string
  readonly values: readonly Value[]
}

const maxStatements = 1_000

export const statementsOn = (out: Outgoing) => {
  const statements = new Map<string, Statement>()
  let lastNumber = 0

  const prepare = ({ text, values }: Execution): Statement => {
    const existing = statements.get(text)
    if (existing) return existing
    const statement = { name: `s${++lastNumber}`, text, columns: undefined }
    statements.set(text, statement)
    out.prepare(statement.name, text, values)
    return statement
  }

  /** If there are too many, closes the oldest statement, which the server would otherwise keep. All uses of it were sent before. */
  const forgetOldest = () => {
    const [oldest] = statements
    if (!oldest || statements.size <= maxStatements) return
    const [text, { name }] = oldest
    statements.delete(text)
    out.close(name)
  }

  return {
    /** Encodes an execution of a statement. If a value cannot be encoded, nothing is sent. */
    write(execution: Execution): Statement {
      const lengthBefore = out.length()
      try {
        const statement = prepare(execution)
        out.execute(statement.name, execution.values)
        forgetOldest()
        out.sync()
        return statement
      } catch (error) {
        out.truncate(lengthBefore)
        statements.delete(execution.text)
        throw error
      }
    },

    /** If the error means that the server did not prepare the statement or must prepare it again, the next execution prepares it. */
    forgetUnusable(statement: Statement, error: unknown) {
      const isUsable = statement.columns !== undefined && !isStalePlan(error)
      if (!isUsable && statements.get(statement.text) === statement) statements.delete(statement.text)
    },
  }
}
