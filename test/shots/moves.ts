/** Gigabytes that move, and repairs of refused requests. */
import { knowAllDevices } from '../browser/operator.ts'
import type { Shot, Stage } from './shot.ts'

const tab = '/account?tab=moves'

const card = ({ page, text }: Stage) => page.getByRole('region', { name: text('moves:title') })

async function fillExchange(stage: Stage): Promise<void> {
  const { text } = stage
  await card(stage)
    .getByRole('radio', { name: text('moves:exchange') })
    .check()
  await card(stage).getByLabel(text('moves:toPool'), { exact: true }).selectOption('datacenter')
  await card(stage).getByLabel(text('moves:amount')).fill('100')
  await card(stage).getByText('→').first().waitFor()
}

/** The order matters: the device is new until the second picture, and only the last one moves gigabytes. */
export const moveShots: readonly Shot[] = [
  {
    name: 'account-moves-held',
    who: 'buyer',
    path: tab,
    act: (stage) =>
      card(stage)
        .getByText(stage.text('moves:held.new_device').split('{{')[0]?.slice(0, 20) ?? '')
        .waitFor(),
  },
  {
    name: 'account-moves-give',
    who: 'buyer',
    path: tab,
    act: async (stage) => {
      await knowAllDevices()
      await stage.open(tab)
      await card(stage).getByLabel(stage.text('moves:amount')).fill('500')
      await card(stage).getByLabel(stage.text('moves:to'), { exact: true }).fill('no-such-name')
      await card(stage).locator('button[type=submit]').click()
      await card(stage).getByRole('alert').waitFor()
    },
  },
  { name: 'account-moves-exchange', who: 'buyer', path: tab, act: fillExchange },
  {
    name: 'account-moves-done',
    who: 'buyer',
    path: tab,
    act: async (stage) => {
      await fillExchange(stage)
      await card(stage).locator('button[type=submit]').click()
      await card(stage).getByText(stage.text('moves:history')).waitFor()
    },
  },
]
