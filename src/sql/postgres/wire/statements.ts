import type { Value } from '#sql/query.ts'
import type { Columns } from './columns.ts'
import { isStale } from './errors.ts'
import type { Outgoing } from './outgoing.ts'

/** A prepared statement, which can be used by its name once the server has been told to prepare it. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** Undefined until the server has described them. */
  columns: Columns | undefined
}

interface Execution {
  readonly text: string
  readonly values: readonly Value[]
}

const maxStatements = 1_000

/** The prepared statements of one connection. */
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

  /** The server keeps statements until told to close them. The close is sent behind every use of the statement. */
  const forgetOldest = () => {
    const [oldest] = statements
    if (!oldest || statements.size <= maxStatements) return
    const [text, { name }] = oldest
    statements.delete(text)
    out.close(name)
  }

  return {
    /** Encodes an execution; if one of its values cannot be encoded, nothing of it is sent. */
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

    /** The next execution prepares it anew, if the server did not do so or has to. */
    refused(statement: Statement, error: unknown) {
      const isUsable = statement.columns !== undefined && !isStale(error)
      if (!isUsable && statements.get(statement.text) === statement) statements.delete(statement.text)
    },
  }
}
