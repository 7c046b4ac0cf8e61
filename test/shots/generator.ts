/** The generator: its pickers, its lines, presets, secret links and the trial of a line. */
import type { Shot, Stage } from './shot.ts'

const panel = '/account?tab=panel'

/** Picks a country and confirms; the generator may still have the country of an earlier picture. */
async function pickCountry({ page, text, dialog, language }: Stage): Promise<void> {
  const country = language === 'ru' ? 'США' : 'United States'
  const row = page.getByRole('button', { name: new RegExp(`^${text('userPanel:place.countries')}:`) })
  if ((await row.textContent())?.includes(country) === true) return
  await row.click()
  await dialog.getByRole('combobox').fill(country)
  await dialog.getByRole('option').first().click()
  await dialog.getByRole('button', { name: text('userPanel:picker.confirm') }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** A picker that waits for a choice. */
const picker = (name: string, label: string, needsCountry: boolean): Shot => ({
  name: `account-picker-${name}`,
  who: 'buyer',
  path: panel,
  act: async (stage) => {
    if (needsCountry) await pickCountry(stage)
    const row = new RegExp(`^${stage.text(`userPanel:${label}`)}:`)
    await stage.page.getByRole('button', { name: row }).click()
    await stage.dialog.getByRole('option').first().waitFor()
  },
  shows: 'picker/OpenPicker',
})

async function generate({ page, text, press, dialog }: Stage, quantity: string): Promise<void> {
  await page.getByLabel(text('userPanel:output.quantity'), { exact: true }).fill(quantity)
  await press(text('userPanel:summary.generate'))
  if (Number(quantity) <= 20) await dialog.waitFor()
  else await page.getByText(text('userPanel:result.ready')).first().waitFor()
}

/** Saves the settings under a name, unless an earlier picture has. */
async function savePreset({ page, text, press, dialog, language }: Stage): Promise<void> {
  if (await page.getByLabel(text('generator:preset')).isVisible()) {
    await page.getByLabel(text('generator:preset')).selectOption({ index: 1 })
    return
  }
  await press(text('generator:saveAs'))
  await dialog.getByLabel(text('generator:name')).fill(language === 'ru' ? 'Цены, США' : 'Prices, USA')
  await dialog.getByRole('button', { name: text('generator:save'), exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

const tool = (name: string, label: (stage: Stage) => string): Shot => ({
  name: `account-result-${name}`,
  who: 'buyer',
  path: panel,
  act: async (stage) => {
    await generate(stage, '5')
    await stage.dialog.getByLabel(stage.text('generator:tool')).selectOption({ label: label(stage) })
  },
})

export const generatorShots: readonly Shot[] = [
  picker('countries', 'place.countries', false),
  picker('states', 'place.states', true),
  picker('cities', 'place.cities', true),
  picker('zipcodes', 'place.zipcodes', true),
  picker('networks', 'network.include', true),
  {
    name: 'account-picker-format',
    who: 'buyer',
    path: panel,
    act: async ({ page, text, dialog }) => {
      await page.getByRole('button', { name: new RegExp(`^${text('userPanel:output.format')}:`) }).click()
      await dialog.waitFor()
    },
    shows: 'panel/FormatDialog',
  },
  {
    name: 'account-result',
    who: 'buyer',
    path: panel,
    act: (stage) => generate(stage, '5'),
    shows: 'panel/ResultDialog',
  },
  { name: 'account-result-file', who: 'buyer', path: panel, act: (stage) => generate(stage, '21') },
  tool('browser', ({ text }) => text('userPanel:samples.browser')),
  tool('phone', ({ text }) => text('generator:phone.name')),
  {
    name: 'account-preset-save',
    who: 'buyer',
    path: panel,
    act: async ({ press, text, dialog }) => {
      await press(text('generator:saveAs'))
      await dialog.waitFor()
    },
    shows: 'generator/NameDialog',
  },
  { name: 'account-preset-chosen', who: 'buyer', path: panel, act: savePreset },
  {
    name: 'account-link',
    who: 'buyer',
    path: panel,
    act: async (stage) => {
      await savePreset(stage)
      await stage.press(stage.text('generator:link.title'))
      await stage.dialog.waitFor()
    },
    shows: 'generator/LinkDialog',
  },
  {
    name: 'account-link-made',
    who: 'buyer',
    path: panel,
    act: async (stage) => {
      const { text, dialog, press } = stage
      await savePreset(stage)
      await press(text('generator:link.title'))
      const make = dialog.getByRole('button', { name: text('generator:link.make') })
      const renew = dialog.getByRole('button', { name: text('generator:link.renew') })
      await make.or(renew).first().click()
      await dialog.getByRole('img', { name: text('generator:link.qr') }).waitFor()
    },
  },
  {
    name: 'account-preset-delete',
    who: 'buyer',
    path: panel,
    act: async (stage) => {
      await savePreset(stage)
      await stage.press(stage.text('generator:delete'))
      await stage.dialog.waitFor()
    },
    shows: 'generator/Dialogs',
  },
  {
    name: 'account-trial',
    who: 'buyer',
    path: panel,
    act: async ({ page, press, text }) => {
      await press(text('generator:try.act'))
      await page.getByText(text('generator:try.good'), { exact: true }).waitFor()
    },
  },
  {
    name: 'account-trial-socks5',
    who: 'buyer',
    path: panel,
    act: async ({ page, press, text }) => {
      await page.getByRole('radio', { name: 'SOCKS5', exact: true }).check()
      await press(text('generator:try.act'))
      await page.getByText(text('generator:try.good'), { exact: true }).waitFor()
    },
  },
  {
    // The second proxy user is frozen.
    name: 'account-trial-refused',
    who: 'buyer',
    path: panel,
    act: async ({ page, press, text }) => {
      await page.getByLabel(text('userPanel:whose.label')).selectOption('2')
      await press(text('generator:try.act'))
      await page.getByText(text('generator:try.latency'), { exact: true }).waitFor()
    },
  },
]
