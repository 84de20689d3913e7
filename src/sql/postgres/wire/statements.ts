import type { Value } from '#sql/query.ts'
import type { Columns } from './columns.ts'
import { isStale } from './errors.ts'
import type { Outgoing } from './outgoing.ts'

/** A prepared statement. After `prepare` is sent, its name can be used. */
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
  let named = 0

  const prepared = ({ text, values }: Execution): Statement => {
    const known = statements.get(text)
    if (known) return known
    const statement = { name: `s${++named}`, text, columns: undefined }
    statements.set(text, statement)
    out.prepare(statement.name, text, values)
    return statement
  }

  /** Closes the oldest statement on the server, which would keep it otherwise. The close follows every earlier use of it. */
  const forgetOldest = () => {
    const [oldest] = statements
    if (!oldest || statements.size <= maxStatements) return
    const [text, { name }] = oldest
    statements.delete(text)
    out.close(name)
  }

  return {
    /** Encodes an execution. If a value cannot be encoded, nothing of the execution is sent. */
    write(execution: Execution): Statement {
      const before = out.length()
      try {
        const statement = prepared(execution)
        out.execute(statement.name, execution.values)
        forgetOldest()
        out.sync()
        return statement
      } catch (error) {
        out.cut(before)
        statements.delete(execution.text)
        throw error
      }
    },

    /** Forgets a statement that the server did not prepare or must prepare again, so that the next execution prepares it. */
    refused(statement: Statement, error: unknown) {
      const isUsable = statement.columns !== undefined && !isStale(error)
      if (!isUsable && statements.get(statement.text) === statement) statements.delete(statement.text)
    },
  }
}
