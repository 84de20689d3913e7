import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

public class Database {
  public static DataSource open() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setBusyTimeout(10000);
    SQLiteDataSource sqlite = new SQLiteDataSource(config);
    sqlite.setUrl("jdbc:sqlite:" + System.getenv("DATABASE"));

    org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
    pool.setDataSource(sqlite);
    pool.setMaxActive(Integer.parseInt(System.getenv().getOrDefault("POOL", "4")));
    create(pool);
    return pool;
  }

  private static void create(DataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table if not exists todo (todo_id text primary key, todo_title text not null,"
              + " finished integer not null, created_at text not null)");
    }
  }
}
