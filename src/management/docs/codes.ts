import type { commonWords } from '#core/messages.ts'

/** All that the service can say of itself: a code without an explanation does not compile. */
type CommonCode = keyof (typeof commonWords)['en']

/** The codes of whole refusals. */
export type RefusalCode = Extract<CommonCode, `e.${string}`>

/** The codes of their details. */
export type DetailCode = Exclude<CommonCode, RefusalCode>
