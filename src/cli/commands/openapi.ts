import { Command } from 'commander'
import { publishedDocument } from '#src/app/document.ts'
import { resourcesOf } from '#src/app/resources.ts'
import { print } from '#src/cli/output.ts'
import { addSettingFlags, configOf } from '#src/cli/settings.ts'

export const openapiCommand = () => {
  const command = new Command('openapi').description('Print the OpenAPI 3.1 document of the API.')
  addSettingFlags(command, ['RESOURCES', 'SETTINGS_FILE']).addHelpText(
    'after',
    '\nExample:\n  rollcall openapi > openapi.json',
  )
  return command.action(async () => {
    const document = await publishedDocument(await resourcesOf(configOf(command)))
    await print(JSON.stringify(document, undefined, 2))
  })
}
