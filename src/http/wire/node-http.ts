/** These are not imported, because an import reads every export of the module, and one of them loads all of `fetch`. */
export const { Agent, createServer, request, STATUS_CODES, validateHeaderValue } =
  process.getBuiltinModule('node:http')
