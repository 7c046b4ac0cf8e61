import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { Banner } from '../../../ui/site/banner.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import styles from './shop.module.css'

const mostBytes = 1024 * 1024
const mostPosition = 1_000_000
/** SVG is not accepted: it can contain scripts. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']

/** A picture as a `data:` address, which the page may show. */
const readPicture = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
    reader.readAsDataURL(file)
  })

export const bytesOf = async (file: File) => new Uint8Array(await file.arrayBuffer())

const timeOrNull = (local: string) => (local === '' ? null : new Date(local).toISOString())

/** A new banner, shown as customers will see it before it is published. */
export function BannerDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('deskShop')
  const [picture, setPicture] = useState<{ bytes: Uint8Array<ArrayBuffer>; src: string } | null>(null)
  const [refused, setRefused] = useState<'banners.wrongType' | 'banners.tooLarge' | null>(null)
  const [name, setName] = useState('')
  const [link, setLink] = useState('/purchase')
  const [position, setPosition] = useState('0')
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const { pending, fault, run } = useAct('publish_banner', onClose)
  const place = wholeNumberIn(position, mostPosition)
  const onFile = async (file: File | undefined) => {
    if (file === undefined) return
    const wrong = !pictureTypes.includes(file.type)
      ? 'banners.wrongType'
      : file.size > mostBytes
        ? 'banners.tooLarge'
        : null
    setRefused(wrong)
    setPicture(wrong === null ? { bytes: await bytesOf(file), src: await readPicture(file) } : null)
  }
  const typed = (value: string, set: (value: string) => void) => ({
    value,
    onChange: (event: { target: { value: string } }) => set(event.target.value),
    autoComplete: 'off',
  })
  return (
    <ActDialog
      title={t('banners.add')}
      submit={t('banners.publish')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={picture !== null && name.trim() !== '' && link.trim() !== '' && place !== null}
      onClose={onClose}
      onSubmit={() =>
        picture !== null &&
        place !== null &&
        run({
          name: name.trim(),
          link: link.trim(),
          picture: picture.bytes,
          position: place,
          starts_at: timeOrNull(from),
          ends_at: timeOrNull(until),
        })
      }
    >
      <TextField
        type="file"
        accept={pictureTypes.join(',')}
        className={styles.file ?? ''}
        label={t('banners.picture')}
        hint={t('banners.pictureHint')}
        error={refused === null ? undefined : t(refused)}
        onChange={(event) => void onFile(event.target.files?.[0])}
      />
      <TextField
        label={t('banners.name')}
        hint={t('banners.nameHint')}
        maxLength={200}
        {...typed(name, setName)}
      />
      <TextField label={t('banners.link')} hint={t('banners.linkHint')} mono {...typed(link, setLink)} />
      <div className={styles.both}>
        <TextField
          type="datetime-local"
          label={t('banners.startsAt')}
          hint={t('banners.emptyNow')}
          {...typed(from, setFrom)}
        />
        <TextField
          type="datetime-local"
          label={t('banners.endsAt')}
          hint={t('banners.emptyOpen')}
          {...typed(until, setUntil)}
        />
      </div>
      <TextField
        label={t('banners.order')}
        hint={t('banners.orderHint')}
        inputMode="numeric"
        mono
        {...typed(position, setPosition)}
      />
      <section className={styles.bannerPreview} aria-label={t('shop.preview')}>
        <h3>{t('shop.preview')}</h3>
        {picture === null ? (
          <p className={styles.quiet}>{t('banners.noPicture')}</p>
        ) : (
          <Banner src={picture.src} name={name} link={link} label={t('banners.open', { name })} />
        )}
      </section>
    </ActDialog>
  )
}
