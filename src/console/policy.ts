/** What the console may load and connect to: its own origin, and the issuer of tokens if there is one. */
export const consolePolicy = (issuer: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...originOf(issuer)].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')

const originOf = (issuer: string | undefined) => (issuer ? [new URL(issuer).origin] : [])
