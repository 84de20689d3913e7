declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  /** The part of its settings that the tests use. */
  export interface Configuration {
    readonly [setting: string]: unknown
  }

  class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): RequestListener
  }

  // biome-ignore lint/style/noDefaultExport: the module has one
  export { Provider as default }
}
