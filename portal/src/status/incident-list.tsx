/** What the probes found broken, newest first. */
import { type StatusIncident, statusComponents } from '../../../shared/status.ts';
import { plural, timeText } from '../format.ts';

const MINUTE_MS = 60_000;

const lengthOf = ({ began_at, ended_at }: StatusIncident): string => {
  if (ended_at === null) return 'going on';
  const minutes = Math.max(1, Math.round((Date.parse(ended_at) - Date.parse(began_at)) / MINUTE_MS));
  return minutes < 120 ? plural(minutes, 'minute') : `${(minutes / 60).toFixed(1)} hours`;
};

export const IncidentList = ({ incidents }: { incidents: readonly StatusIncident[] }) =>
  incidents.length === 0 ? (
    <p class="muted">None in the time that is kept.</p>
  ) : (
    <ul class="status-incidents">
      {incidents.map((incident) => (
        <li key={`${incident.component} ${incident.began_at}`}>
          <strong>{statusComponents[incident.component].name}</strong>{' '}
          {incident.kind === 'down' ? 'did not work' : 'was slow or failed now and then'}
          <span class="small muted num">
            <time dateTime={incident.began_at}>{timeText(incident.began_at)}</time>, {lengthOf(incident)}
          </span>
        </li>
      ))}
    </ul>
  );
