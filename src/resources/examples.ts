const id = '019e6a3c-6c00-7000-8000-000000000001'

/** An example of a change in the log: the creation of a record. */
export const exampleChange = (noun: string, changed: readonly string[]) => ({
  specversion: '1.0',
  id: '019e6a3c-6c00-7000-8000-000000000002',
  source: `/api/v1/${noun}s/${id}`,
  type: `${noun}.created`,
  time: '2026-11-21T06:45:00.123Z',
  subject: id,
  sequence: '1',
  data: { version: 1, changed, by: 'administrator', track: 'checkout-42' },
})

/** An example of a history, with the creation of a record as the only change. */
export const exampleHistory = (noun: string, changed: readonly string[], value: object) => ({
  content: [{ change: exampleChange(noun, changed), value }],
  size: 20,
  numberOfElements: 1,
  links: [],
})
