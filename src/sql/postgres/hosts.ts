/** One of the servers that a URL names. */
export interface Host {
  readonly host: string
  readonly port: number
}

const defaultPort = 5432

/** `postgres://user:password@one:5432,two:5433/name` names two. */
export const hostsOf = (url: string): readonly Host[] => {
  const [authority = ''] = url.slice(url.indexOf('://') + 3).split(/[/?]/)
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  return hosts.split(',').map((text) => {
    const [, host = '', port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? []
    return { host: host.replace(/^\[|\]$/g, '') || 'localhost', port: Number(port ?? defaultPort) }
  })
}
