// The API of the package for declaring your own resources (docs/resources.md).

export {
  CodeList,
  Day,
  Email,
  Example,
  Flag,
  Nullable,
  PastDate,
  Reference,
  Starting,
  Text,
  Unique,
  UtcTimestamp,
  Whole,
} from '#core/schema.ts'
export {
  type Declaration,
  type Declared,
  type Extension,
  extend,
  type RecordOf,
  resource,
} from '#resources/declaration.ts'
export { type Action, type RuleContext, type Rules, refusal } from '#resources/rule.ts'
