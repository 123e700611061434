import type { ComponentChildren } from 'preact';
import type { LogImage } from '../../../shared/portal-api.ts';
import { timeText } from '../format.ts';
import { Badge } from './badge.tsx';
import { ComplianceList } from './compliance-list.tsx';
import { Icon } from './icon.tsx';
import { OutputList } from './output-list.tsx';
import { planOfFile } from './plan.ts';
import { Sheet } from './sheet.tsx';
import { VerdictPanel } from './verdict.tsx';

const tones = {
  completed: undefined,
  failed: 'bad',
  queued: undefined,
  processing: 'info',
  deleted: undefined,
} as const;

const Result = ({ image: { preview_url, filename, image_id } }: { image: LogImage }) => (
  <img
    class="result"
    src={preview_url ?? ''}
    alt={`Result ${filename ?? image_id}`}
    loading="lazy"
    width={256}
    height={256}
  />
);

/** `before`: address of the photo. */
type Props = { image: LogImage; before?: string | undefined; children?: ComponentChildren };

export const ImageCard = ({ image, before, children }: Props) => (
  <article class={`card image-card ${before ? 'with-before' : ''}`}>
    {before && (
      <div class="image-frame before">
        <img
          class="photo"
          src={before}
          alt={`Before: ${image.original_name ?? image.image_id}`}
          width={256}
          height={256}
        />
      </div>
    )}
    <div class="image-frame">
      {image.place && image.preview_url && image.compliance ? (
        <Sheet plan={planOfFile(image.place.canvas, image.place.product_box, image.compliance, false)}>
          <Result image={image} />
        </Sheet>
      ) : image.preview_url ? (
        <Result image={image} />
      ) : (
        <Icon name="image" size={28} />
      )}
    </div>
    <div class="image-facts">
      <div class="row between">
        <strong class="clip">{image.filename ?? image.image_id}</strong>
        <Badge tone={tones[image.status]}>{image.status}</Badge>
      </div>
      {image.error && (
        <p class="small bad-text">
          <code>{image.error.code}</code> {image.error.detail} {image.error.remedy}
        </p>
      )}
      {image.review && (
        <VerdictPanel review={image.review} findings={image.findings} confidence={image.matte_confidence} />
      )}
      {image.compliance && image.outputs.length < 2 && <ComplianceList compliance={image.compliance} />}
      {image.outputs.length > 1 && <OutputList outputs={image.outputs} />}
      {image.download_url ? (
        <div class="row between">
          <a class="button compact" href={image.download_url} download={image.filename ?? undefined}>
            <Icon name="download" size={14} />
            Download {image.width && image.height ? `${image.width} × ${image.height}` : ''}
          </a>
          {image.expires_at && <span class="small muted">Link valid until {timeText(image.expires_at)}</span>}
        </div>
      ) : (
        image.status === 'completed' && <p class="small muted">The files have expired and were deleted.</p>
      )}
      {children}
    </div>
  </article>
);
