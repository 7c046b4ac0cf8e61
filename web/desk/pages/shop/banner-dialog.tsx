import { useState } from 'react'
import { bannerTypes, mostBannerBytes } from '#contract/desk/choices'
import { pictureAddress } from '#contract/desk/client'
import type { DeskOutput } from '#contract/desk/contract'
import { CallError } from '#contract/transport'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { FileField } from '../../../ui/fields/file-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { Banner } from '../../../ui/site/banner.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { localOf, timeOfLocal } from '../../parts/local-time.ts'
import { refreshAll } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import { faultOf, InBoth } from './editor.tsx'
import styles from './shop.module.css'

type Row = DeskOutput<'banners'>[number]

interface ChosenPicture {
  name: string
  bytes: Uint8Array<ArrayBuffer>
  src: string
}

interface Typed {
  alt_ru: string
  alt_en: string
  link: string
  position: string
  from: string
  until: string
}

const mostPosition = 1_000_000
const ofPicture: readonly string[] = ['banner_kind', 'banner_bytes', 'body_too_large']
const isPictureType = (type: string) => bannerTypes.some((known) => known === type)

/** A picture as a `data:` address, which the page may show. */
const readPicture = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file could not be read')))
    reader.readAsDataURL(file)
  })

export const bytesOf = async (file: File) => new Uint8Array(await file.arrayBuffer())

const typedOf = (banner: Row | null): Typed => ({
  alt_ru: banner?.alt_ru ?? '',
  alt_en: banner?.alt_en ?? '',
  link: banner?.link ?? '/purchase',
  position: String(banner?.position ?? 0),
  from: localOf(banner?.starts_at ?? null),
  until: localOf(banner?.ends_at ?? null),
})

/** The typed time. The field has no seconds, so an unchanged time is sent as it was stored. */
const timeOf = (local: string, known: string | null) =>
  local === localOf(known) ? known : timeOfLocal(local)

/** The refused field, and why. An empty field: the refusal concerns the whole banner. */
function bannerFault(error: Error | null) {
  const fault = faultOf(error, 'banner')
  const isOfPicture = error instanceof CallError && ofPicture.includes(error.code)
  return fault !== null && isOfPicture ? { ...fault, field: 'picture' } : fault
}

/** Publishes or changes a banner; the error is that of the last attempt. */
function useBannerAct(banner: Row | null, onClose: () => void) {
  const publishing = useAct('publish_banner', onClose)
  const changing = useAct('change_banner', onClose)
  const { pending, error } = banner === null ? publishing : changing
  const run = (typed: Typed, position: number, bytes: Uint8Array<ArrayBuffer> | null) => {
    const { from, until, ...texts } = typed
    const picture = bytes ?? new Uint8Array()
    const starts_at = timeOf(from, banner?.starts_at ?? null)
    const ends_at = timeOf(until, banner?.ends_at ?? null)
    const fields = { ...texts, link: texts.link.trim(), position, starts_at, ends_at, picture }
    if (banner === null) publishing.run(fields)
    else changing.run({ ...fields, id: banner.id, seen: banner.version })
  }
  return { pending, fault: bannerFault(error), run }
}

/** A new banner, or one that is changed, shown as customers will see it before it is published. */
export function BannerDialog({ banner, onClose }: { banner: Row | null; onClose: () => void }) {
  const { t } = useTranslation('deskShop')
  const language = useLanguage()
  const [picture, setPicture] = useState<ChosenPicture | null>(null)
  const [typed, setTyped] = useState(() => typedOf(banner))
  const close = () => {
    // A colleague's change may have caused the refusal; reloads the list behind the dialog.
    void refreshAll()
    onClose()
  }
  const { pending, fault, run } = useBannerAct(banner, onClose)
  const place = wholeNumberIn(typed.position, mostPosition)
  const isFilled = [typed.alt_ru, typed.alt_en, typed.link].every((text) => text.trim() !== '')
  const hasPicture = picture !== null || banner !== null
  const name = typed[altIn[language]]
  const known = banner === null ? null : pictureAddress('banner_picture', addressOf(banner))
  const src = picture?.src ?? known
  return (
    <ActDialog
      title={banner === null ? t('banners.add') : t('banners.editTitle', { name: banner[altIn[language]] })}
      submit={t(banner === null ? 'banners.publish' : 'banners.save')}
      reason="none"
      pending={pending}
      fault={fault?.field === '' ? fault.text : undefined}
      ready={hasPicture && isFilled && place !== null}
      onClose={fault === null ? onClose : close}
      onSubmit={() => place !== null && run(typed, place, picture?.bytes ?? null)}
    >
      <PictureOfBanner banner={banner} picture={picture} set={setPicture} fault={fault} />
      <BannerFields typed={typed} set={setTyped} fault={fault} />
      <section className={styles.bannerPreview} aria-label={t('shop.preview')}>
        <h3>{t('shop.preview')}</h3>
        {src === null ? (
          <p className={styles.quiet}>{t('banners.noPicture')}</p>
        ) : (
          <Banner src={src} name={name} link={typed.link} label={t('banners.open', { name })} />
        )}
      </section>
    </ActDialog>
  )
}

/** The field of the text alternative in a language. */
export const altIn = { ru: 'alt_ru', en: 'alt_en' } as const

/** The version in the address makes caches fetch a new picture. */
export const addressOf = ({ id, version }: Row) => ({ id, version: String(version) })

type BannerFault = ReturnType<typeof bannerFault>

interface PictureProps {
  banner: Row | null
  picture: ChosenPicture | null
  set: (picture: ChosenPicture | null) => void
  fault: BannerFault
}

function PictureOfBanner({ banner, picture, set, fault }: PictureProps) {
  const { t } = useTranslation('deskShop')
  const [wrong, setWrong] = useState<'banners.wrongType' | 'banners.tooLarge' | null>(null)
  const take = async (file: File) => {
    const isWrongType = !isPictureType(file.type) || file.size === 0
    const found = isWrongType ? 'banners.wrongType' : file.size > mostBannerBytes ? 'banners.tooLarge' : null
    setWrong(found)
    set(found === null ? { name: file.name, bytes: await bytesOf(file), src: await readPicture(file) } : null)
  }
  const refused = fault?.field === 'picture' ? fault.text : undefined
  return (
    <FileField
      label={t('banners.picture')}
      choose={t('banners.choose')}
      chosen={picture?.name ?? t(banner === null ? 'banners.noFile' : 'banners.keeps')}
      hint={t('banners.pictureHint')}
      error={wrong === null ? refused : t(wrong)}
      accept={bannerTypes.join(',')}
      onFile={(file) => void take(file)}
    />
  )
}

interface FieldsProps {
  typed: Typed
  set: (typed: Typed) => void
  fault: BannerFault
}

function BannerFields({ typed, set, fault }: FieldsProps) {
  const { t } = useTranslation('deskShop')
  const field = (name: keyof Typed, refused: string = name) => ({
    value: typed[name],
    onChange: ({ target }: { target: { value: string } }) => set({ ...typed, [name]: target.value }),
    error: fault?.field === refused ? fault.text : undefined,
    autoComplete: 'off',
  })
  return (
    <>
      <InBoth>
        {(language) => (
          <TextField
            label={t('banners.alt')}
            hint={t('banners.altHint')}
            maxLength={300}
            {...field(altIn[language])}
          />
        )}
      </InBoth>
      <TextField label={t('banners.link')} hint={t('banners.linkHint')} mono {...field('link')} />
      <div className={styles.both}>
        <TextField
          type="datetime-local"
          label={t('banners.startsAt')}
          hint={t('banners.emptyNow')}
          {...field('from', 'starts_at')}
        />
        <TextField
          type="datetime-local"
          label={t('banners.endsAt')}
          hint={t('banners.emptyOpen')}
          {...field('until', 'ends_at')}
        />
      </div>
      <TextField
        label={t('banners.order')}
        hint={t('banners.orderHint')}
        inputMode="numeric"
        mono
        {...field('position')}
      />
    </>
  )
}
