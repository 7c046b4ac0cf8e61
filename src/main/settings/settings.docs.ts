/** Makes docs/settings.md: `node src/main/settings/settings.docs.ts` writes it. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { sections } from './settings.meanings.ts'

export const settingsPage = path.resolve(import.meta.dirname, '../../../docs/settings.md')

/** The page with all variables, by section. */
export function writeSettingsPage(): string {
  const parts = sections.map(({ title, variables }) => {
    const rows = Object.entries(variables).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
    return [`## ${title}`, '', '| variable | meaning (default) |', '|---|---|', ...rows].join('\n')
  })
  return `${introduction}\n\n${parts.join('\n\n')}\n`
}

const introduction = `# Settings

Settings are environment variables, or the lines of a file (\`--settings\`). They are read and checked at the start: an unknown
\`TURNPIKE_*\`, a malformed value or a missing required one stops the start with a sentence that names it. \`turnpike settings\` and
the desk's page Settings show what is in force. Keys of payment processors, receipts, the mail server and the bot can be set at the desk
instead (Settings, Connections), without a restart; a variable here takes precedence, with its whole group.

<!-- Made by src/main/settings/settings.docs.ts; a test compares it with the variables that are read. -->`

if (import.meta.main) writeFileSync(settingsPage, writeSettingsPage())
