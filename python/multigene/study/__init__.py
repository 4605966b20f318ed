"""The paper's experiment as a tool: problems x methods x seeds, their statistics, tables and figures."""
