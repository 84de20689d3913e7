import { ArrayOf, CodeList, Id, Nullable, ReadOnly, Text, UtcTimestamp } from '#core/schema.ts'
import { ResponseOf } from '#core/shapes.ts'

/** The schema of the answer to `GET /me`. The client uses its type. */
export const Me = ResponseOf('me', {
  kind: ReadOnly(CodeList('CL_CALLER', ['anyone', 'administrator', 'member', 'key', 'client'])),
  name: ReadOnly(Text(1, 8192)),
  id: ReadOnly(Nullable(Id)),
  role: ReadOnly(Nullable(CodeList('CL_ROLE', ['member', 'administrator']))),
  may: ReadOnly(ArrayOf({ ...Text(1, 64), xml: { name: 'operation' } } as ReturnType<typeof Text>, 1000)),
  until: ReadOnly(Nullable(UtcTimestamp)),
})
