/** Makes the page of all settings. `npm run settings` writes it. */
import { writeFileSync } from 'node:fs'
import { settings } from '#src/config/settings.ts'
import { type SettingName, settingText } from '#src/config.ts'

const row = (name: SettingName) => {
  const { meaning, form } = settings[name]
  const given = settingText(name, { flags: {}, environment: {}, file: {} })
  const cells = [`\`${name}\``, given ? `\`${given}\`` : '–', meaning, form]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

const text = `# Settings

Each setting is an environment variable and a flag of \`serve\` (\`PORT\`, \`--port\`). If a setting is wrong, the service does not start, and names the setting.
\`rollcall config\` shows the value of each setting and its source. [Operating](operating.md#settings) says which of several values
applies, how \`SETTINGS_FILE\` is written, and what libpq's variables are for.

| setting | default | meaning | a value is |
|---|---|---|---|
${(Object.keys(settings) as SettingName[]).map(row).join('\n')}

\`ACCESS=open\` must be set explicitly if a listener or \`PUBLIC_URL\` is not on the loopback, or if \`ADMIN_*\`, \`OAUTH_*\` or \`TRUST_PROXY\` is
set. Without \`ADMIN_SIGN_ID\`, the first start with \`basic\` makes an administrator and shows its password once.

This page is generated from \`src/config/settings.ts\` by \`npm run settings\`.
`

export const settingsPage = { path: '../../docs/settings.md', text }

if (import.meta.main) writeFileSync(new URL(settingsPage.path, import.meta.url), text)
