/** One photo of a batch: its result, why it has its verdict, its files, and another photo in its place. */

import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { marketplaceLabels } from '../marketplace-labels.ts';
import { ownPath } from '../playground/run.ts';
import { AddFiles } from './choose-files.tsx';
import { FilePicture } from './file-picture.tsx';
import { type ShownPhoto, standings } from './shown-photo.ts';

const Pictures = ({ shown: { file, photo } }: { shown: ShownPhoto }) => (
  <div class="photo-pictures">
    {file && (
      <figure>
        <div class="photo-picture">
          <FilePicture file={file} />
        </div>
        <figcaption class="small muted">Photo</figcaption>
      </figure>
    )}
    {photo?.preview_url && (
      <figure>
        <div class="photo-picture white">
          <img src={ownPath(photo.preview_url)} alt="Result" />
        </div>
        <figcaption class="small muted">
          Result, {photo.width} × {photo.height}
        </figcaption>
      </figure>
    )}
  </div>
);

export const Reasons = ({ shown: { photo, why } }: { shown: ShownPhoto }) => (
  <>
    {photo?.review && photo.review.reasons.length > 0 && (
      <ul class="findings">
        {photo.review.reasons.map(({ detail, remedy }) => (
          <li key={detail}>
            <p>{detail}</p>
            <p class="finding-remedy">{remedy}</p>
          </li>
        ))}
      </ul>
    )}
    {why && (
      <p class="small">
        {why} {(photo?.error ?? photo?.replacement_error)?.remedy} <span class="muted">It was not charged.</span>
      </p>
    )}
    {photo?.error && (
      <p class="small">
        <a href={`/docs/errors#${photo.error.code}`}>{photo.error.code}</a>
      </p>
    )}
  </>
);

type Props = {
  shown: ShownPhoto;
  onClose: () => void;
  /** Undefined where nothing can take its place, as while it runs. */
  onReplace: ((file: File) => void) | undefined;
  /** Undefined where there is no cut-out to touch up. */
  touchUpPath: string | undefined;
  /** Undefined where this tab has no photo to send again. */
  onRetry: (() => void) | undefined;
};

export const PhotoDialog = ({ shown, onClose, onReplace, onRetry, touchUpPath }: Props) => {
  const { photo, standing } = shown;
  const { name, tone } = standings[standing];
  return (
    <Dialog
      title={shown.name}
      onClose={onClose}
      footer={
        <>
          {touchUpPath && (
            <a class="button primary" href={touchUpPath}>
              <Icon name="brush" size={14} />
              Touch up
            </a>
          )}
          {onRetry && <Button onClick={onRetry}>Retry</Button>}
          {onReplace && (
            <AddFiles label="Send another photo" onFiles={({ files: [file] }) => file && onReplace(file)} />
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <div class="row">
        <Badge tone={tone}>{name}</Badge>
        {photo && <a href={`/logs/${photo.request_id}`}>See its request</a>}
      </div>
      <Pictures shown={shown} />
      <Reasons shown={shown} />
      {photo && photo.files.length > 0 && (
        <div class="row tight">
          {photo.files.map(({ marketplace, filename, url }) =>
            url ? (
              <a key={marketplace} class="button compact" href={ownPath(url)} download={filename}>
                <Icon name="download" size={14} />
                {marketplaceLabels[marketplace as keyof typeof marketplaceLabels]}
              </a>
            ) : (
              <span key={marketplace} class="small muted">
                {filename}: its life has ended.
              </span>
            ),
          )}
        </div>
      )}
    </Dialog>
  );
};
