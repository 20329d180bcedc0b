import type { HealthAssistantClient, Profile } from "../../../packages/client/client.js";
import { profileOf, profileText } from "../profile.ts";
import { byId } from "./elements.ts";
import { Modal } from "./modal.ts";

/** The dialog with what the clinic of the key says about itself. What it does not show stays as it is. */
export class ProfileForm {
  private readonly clientOf: () => HealthAssistantClient | undefined;
  private readonly form = byId<HTMLFormElement>("profile-form");
  private readonly modal = new Modal("profile-dialog", () => this.form.reset());
  private profile: Profile = {};
  private etag = "";

  constructor(clientOf: () => HealthAssistantClient | undefined) {
    this.clientOf = clientOf;
    byId("clinic").addEventListener("click", () => this.open());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.modal.run(() => this.save());
    });
  }

  private open(): void {
    const client = this.clientOf();
    if (client) {
      this.modal.open();
      this.modal.run(() => this.read(client));
    }
  }

  private async read(client: HealthAssistantClient): Promise<void> {
    const { profile, applies } = await client.getProfile({ onHeaders: (headers) => this.note(headers) });
    this.profile = profile;
    for (const [name, value] of Object.entries(profileText(profile))) {
      this.field(name).value = value;
    }
    this.tell(applies);
  }

  private async save(): Promise<void> {
    const client = this.clientOf();
    if (client) {
      const typed = Object.fromEntries(
        Object.keys(profileText({})).map((name) => [name, this.field(name).value]),
      ) as ReturnType<typeof profileText>;
      await client.putProfile(profileOf(this.profile, typed), { ifMatch: this.etag });
      await this.read(client);
    }
  }

  private note(headers: Headers): void {
    this.etag = headers.get("etag") ?? "";
  }

  /** Says what patients are told. */
  private tell(applies: Awaited<ReturnType<HealthAssistantClient["getProfile"]>>["applies"]): void {
    const { emergencyNumber, crisisLine, open, opensAt } = applies;
    const hours = open === null ? "" : open ? " The clinic is open." : " The clinic is closed now.";
    const until = opensAt ? ` It opens ${new Date(opensAt).toLocaleString()}, by this device's clock.` : "";
    this.modal.show(`Patients are told to call ${emergencyNumber}, and ${crisisLine} in a crisis.${hours}${until}`);
  }

  private field(name: string): HTMLInputElement {
    return this.form.elements.namedItem(name) as HTMLInputElement;
  }
}
