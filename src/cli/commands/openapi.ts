import { Command } from 'commander'
import { publishedDocument } from '#src/app/document.ts'
import { print } from '#src/cli/output.ts'

export const openapiCommand = () =>
  new Command('openapi')
    .description('Print the OpenAPI 3.1 document of the API.')
    .addHelpText('after', '\nExample:\n  rollcall openapi > openapi.json')
    .action(async () => print(JSON.stringify(await publishedDocument(), undefined, 2)))
